interface HasProcess {
  process?: { env?: Record<string, string | undefined> };
}

/** A variable of the environment; absent where the runtime has none or does not let it be read. */
export function environment(name: string): string | undefined {
  try {
    // Deno throws here where it was not allowed to read the environment.
    return (globalThis as HasProcess).process?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}
