/* Stands between the service and the C library (LD_PRELOAD): fsync and write of regular files or
 * folders under FAULT_UNDER fail, lie or fall short, from the n-th call of the process on.
 *
 *   FAULT_CALL=fsync|write  FAULT_KIND=file|folder  FAULT_FROM=N  FAULT_TIMES=N
 *   FAULT_DO=skip|short|ERRNO  FAULT_COUNT=file that gets a byte for each call tampered with
 *
 * strace cannot do this: it knows neither which descriptor is a file, nor a partial write. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long calls;
static int note = -1;

/* Before the service confines itself to its roots: the count lies beyond them. */
__attribute__((constructor)) static void start(void) {
    const char *count = getenv("FAULT_COUNT");
    note = count ? open(count, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
}

static int is_meant(const char *call, int fd) {
    const char *want = getenv("FAULT_CALL"), *kind = getenv("FAULT_KIND");
    const char *under = getenv("FAULT_UNDER");
    struct stat about;
    char link[64], path[PATH_MAX];
    if (!want || !kind || !under || strcmp(want, call) || fstat(fd, &about)) return 0;
    if (strcmp(kind, "file") ? !S_ISDIR(about.st_mode) : !S_ISREG(about.st_mode)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    size_t own = strlen(under);
    if (length <= 0) return 0;
    path[length] = 0;
    /* The folder itself or what is in it, but not a neighbour, such as the service's log. */
    return !strncmp(path, under, own) && (path[own] == 0 || path[own] == '/');
}

static int is_now(const char *call, int fd) {
    int before = errno, now = 0;
    if (is_meant(call, fd)) {
        const char *from = getenv("FAULT_FROM"), *times = getenv("FAULT_TIMES");
        long first = from ? atol(from) : 1, number = atomic_fetch_add(&calls, 1) + 1;
        now = number >= first && number - first < (times ? atol(times) : LONG_MAX);
        if (now && note >= 0) syscall(SYS_write, note, "x", 1);
    }
    errno = before;
    return now;
}

int fsync(int fd) {
    if (!is_now("fsync", fd)) return (int)syscall(SYS_fsync, fd);
    const char *what = getenv("FAULT_DO");
    if (!what || !strcmp(what, "skip")) return 0;
    errno = atoi(what);
    return -1;
}

ssize_t write(int fd, const void *from, size_t count) {
    if (!is_now("write", fd)) return syscall(SYS_write, fd, from, count);
    const char *what = getenv("FAULT_DO");
    if (!what || !strcmp(what, "short"))
        return syscall(SYS_write, fd, from, count > 1 ? count / 2 : count);
    errno = atoi(what);
    return -1;
}
