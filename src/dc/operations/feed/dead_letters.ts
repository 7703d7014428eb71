import { refuse } from "#dc/model/refusal.ts";
import type { DcWriter, DeadLetter } from "#dc/ports.ts";
import { OperationError } from "#kernel/errors.ts";
import { runAllSteps } from "#kernel/steps.ts";
import { readDelivery, readRowChange, UnreadableEventError } from "./delivery.ts";
import { applyDelivery, type DeliveryReceipt, type FeedSource } from "./take_delivery.ts";

/** How to settle a dead letter: process it as if it had just arrived, or delete it. */
export type Settlement = "replay" | "drop";

/**
 * Settles one dead letter in the caller's transaction. Returns the receipt of a replay, undefined for a dropped letter.
 * @throws OperationError not_found; failed_precondition for a letter that still cannot be parsed, which is not deleted
 */
export async function settleDeadLetter(
  source: Omit<FeedSource, "feed">,
  writer: DcWriter,
  { id, how }: { readonly id: string; readonly how: Settlement },
): Promise<DeliveryReceipt | undefined> {
  const letter = await writer.deadLetter(id);
  if (letter === undefined) throw refuse("NOT_FOUND", `Cannot find dead letter "${id}"`, { field: "id", value: id });
  const receipt = how === "replay" ? await replayLetter(source, writer, letter) : undefined;
  await writer.dropDeadLetter(id);
  return receipt;
}

async function replayLetter(
  source: Omit<FeedSource, "feed">,
  writer: DcWriter,
  letter: DeadLetter,
): Promise<DeliveryReceipt> {
  const delivery = runAllSteps(readDelivery(parseLetterEvent(letter)));
  const [poison] = delivery.poison;
  if (poison !== undefined) throw createReplayError(letter, poison.reason);
  try {
    for (const { event } of delivery.events) readRowChange(event);
  } catch (error) {
    if (error instanceof UnreadableEventError) throw createReplayError(letter, error.message);
    throw error;
  }
  return applyDelivery({ ...source, feed: letter.feed }, writer, delivery);
}

function parseLetterEvent(letter: DeadLetter): unknown {
  try {
    return JSON.parse(letter.body);
  } catch {
    throw createReplayError(letter, "it was too long to be kept whole");
  }
}

function createReplayError({ id }: DeadLetter, why: string): OperationError {
  return new OperationError("failed_precondition", `Cannot replay dead letter "${id}": ${why}`);
}
