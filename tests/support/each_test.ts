import { afterEach, beforeEach } from "bun:test";

type Disposed = Partial<Disposable & AsyncDisposable>;

/** What `make` makes, anew before each test of the calling file; what can be disposed of is, after it. */
export function eachTest<Made extends object>(make: () => Made | Promise<Made>): Made {
  const current = {} as Made & Disposed;
  beforeEach(async () => {
    for (const key of Reflect.ownKeys(current)) Reflect.deleteProperty(current, key);
    Object.assign(current, await make());
  });
  afterEach(async () => {
    current[Symbol.dispose]?.();
    await current[Symbol.asyncDispose]?.();
  });
  return current;
}
