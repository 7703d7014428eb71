import { MAX_PENDING_BYTES, MAX_PENDING_REQUESTS } from "./limits.ts";

/** Counts the requests that are read and not answered, so that reading stops while there are too many. */
export class Backlog {
  #requests = 0;
  #bytes = 0;
  #room: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  enter(bytes: number): void {
    this.#requests += 1;
    this.#bytes += bytes;
  }

  leave(bytes: number): void {
    this.#requests -= 1;
    this.#bytes -= bytes;
    if (this.#full()) return;
    this.#room?.resolve();
    this.#room = undefined;
  }

  /** A promise that resolves when another request may be read; undefined if it may be read at once. */
  room(): Promise<void> | undefined {
    if (!this.#full()) return undefined;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  #full(): boolean {
    return this.#requests >= MAX_PENDING_REQUESTS || this.#bytes >= MAX_PENDING_BYTES;
  }
}
