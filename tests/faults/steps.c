/* Counts the steps by which the service changes its folders, and kills it right before a chosen
 * one (LD_PRELOAD): creating, writing, syncing, renaming, linking, deleting, dating a file, making
 * a folder. FAULT_STEPS names a file of two numbers of 64 bits, shared with the test: how many
 * steps were begun, and the one to die before, 0 for none. A write that is died at falls short.
 *
 * The service asks the kernel without the C library for most of these: a seccomp filter brings each
 * one here, by SIGSYS, and lets pass what is asked from here. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
__asm__(".text\n.hidden step_ask\n.hidden step_asked\n.globl step_ask\n.globl step_asked\n"
        "step_ask:\n mov %rdi,%rax\n mov %rsi,%rdi\n mov %rdx,%rsi\n mov %rcx,%rdx\n"
        " mov %r8,%r10\n mov %r9,%r8\n mov 8(%rsp),%r9\n syscall\nstep_asked:\n ret\n");
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
__asm__(".text\n.hidden step_ask\n.hidden step_asked\n.globl step_ask\n.globl step_asked\n"
        "step_ask:\n mov x8,x0\n mov x0,x1\n mov x1,x2\n mov x2,x3\n mov x3,x4\n"
        " mov x4,x5\n mov x5,x6\n svc 0\nstep_asked:\n ret\n");
#else
#error "no steps on this processor"
#endif

extern long step_ask(long nr, long a, long b, long c, long d, long e, long f);
extern char step_asked[];

struct shared {
    _Atomic int64_t begun, fatal;
};
static struct shared *shared;

/* Calls that always change something, and two that do so by their arguments. */
static const int always[] = {SYS_renameat2, SYS_linkat, SYS_unlinkat, SYS_mkdirat, SYS_fsync,
                             SYS_fdatasync, SYS_utimensat, SYS_openat2, SYS_ftruncate,
#ifdef SYS_renameat
                             SYS_renameat,
#endif
#ifdef SYS_rename
                             SYS_rename, SYS_unlink, SYS_mkdir, SYS_rmdir, SYS_link,
#endif
};
#define ALWAYS (sizeof always / sizeof *always)

static int is_step(int nr, const long *a) {
    struct stat about;
    if (nr == SYS_openat2) return !!(((const struct open_how *)a[2])->flags & O_CREAT);
    if (nr != SYS_write) return 1;
    return !step_ask(SYS_fstat, a[0], (long)&about, 0, 0, 0, 0) && S_ISREG(about.st_mode);
}

static void die(void) {
    step_ask(SYS_kill, step_ask(SYS_getpid, 0, 0, 0, 0, 0, 0), SIGKILL, 0, 0, 0, 0);
    for (;;) step_ask(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

static void caught(int signal, siginfo_t *info, void *context) {
    (void)signal;
    int nr = info->si_syscall;
    ucontext_t *at = context;
#if defined(__x86_64__)
    greg_t *r = at->uc_mcontext.gregs;
    long a[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
#else
    unsigned long long *r = at->uc_mcontext.regs;
    long a[6] = {r[0], r[1], r[2], r[3], r[4], r[5]};
#endif
    if (is_step(nr, a)) {
        int64_t fatal = atomic_load(&shared->fatal);
        int64_t number = atomic_fetch_add(&shared->begun, 1) + 1;
        if (fatal && number >= fatal) {
            if (nr == SYS_write) step_ask(nr, a[0], a[1], a[2] / 2, 0, 0, 0);
            die();
        }
    }
    long said = step_ask(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
#if defined(__x86_64__)
    r[REG_RAX] = said;
#else
    r[0] = said;
#endif
}

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define WHERE(what, k, yes, no) BPF_JUMP(BPF_JMP | what | BPF_K, (k), (yes), (no))
#define LOW(n) (offsetof(struct seccomp_data, args[n]))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)

/* Before the service has a second thread or confines itself. */
__attribute__((constructor)) static void start(void) {
    const char *name = getenv("FAULT_STEPS");
    int file = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (page == MAP_FAILED) return;
    shared = page;
    uintptr_t own = (uintptr_t)step_asked;
    struct sock_filter filter[16 + 2 * ALWAYS] = {
        LOAD(arch), WHERE(BPF_JEQ, OWN_ARCH, 1, 0), RETURN(SECCOMP_RET_ALLOW),
        LOAD(instruction_pointer), WHERE(BPF_JEQ, (uint32_t)own, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
        WHERE(BPF_JEQ, (uint32_t)((uint64_t)own >> 32), 0, 1), RETURN(SECCOMP_RET_ALLOW),
        LOAD(nr)};
    size_t n = 9;
    for (size_t i = 0; i < ALWAYS; i++) {
        filter[n++] = (struct sock_filter)WHERE(BPF_JEQ, (uint32_t)always[i], 0, 1);
        filter[n++] = (struct sock_filter)RETURN(SECCOMP_RET_TRAP);
    }
    const struct sock_filter rest[] = {
        WHERE(BPF_JEQ, SYS_write, 0, 2), BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW(0)),
        WHERE(BPF_JGT, 2, 3, 4), WHERE(BPF_JEQ, SYS_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW(2)), WHERE(BPF_JSET, O_CREAT, 0, 1),
        RETURN(SECCOMP_RET_TRAP), RETURN(SECCOMP_RET_ALLOW)};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) filter[n++] = rest[i];
    struct sock_fprog program = {(unsigned short)n, filter};
    struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (sigaction(SIGSYS, &action, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return;
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
