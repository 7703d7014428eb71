import { test } from "bun:test";
import { PROMISES, type PromiseId } from "./promises.ts";

/** Declares the test that proves one promise; an unknown id does not compile. */
export function verifies(id: PromiseId, body: () => Promise<void> | void): void {
  test(`${id}: ${PROMISES[id]}`, body);
}
