import type { JsonObject } from "@bufbuild/protobuf";
import type { Caller } from "#dc/context.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { DeliveryReceipt } from "#dc/operations/feed/take_delivery.ts";
import type { DcService } from "#dc/service.ts";
import type { BodyMeter } from "#interfaces/connect/body_meter.ts";
import type { RouteContext } from "#interfaces/connect/whole_reply.ts";
import { shortenText } from "#kernel/shortened.ts";
import { readJsonBody } from "./request_body.ts";
import type { WebhookSecrets } from "./webhook_secret.ts";

/** Maximum size of a delivery, in bytes. Our choice: as the largest RPC message; feeds' batches are set smaller. */
const MAX_DELIVERY_BYTES = 16 * 1024 * 1024;

const FEED_NAME = /^[A-Za-z0-9._-]{1,64}$/;

export interface WebhookOptions {
  readonly service: DcService;
  /** Secrets of the webhook; absent if the operator has configured none. */
  readonly secret: WebhookSecrets | undefined;
  /** Whether a webhook without secrets takes deliveries, as every other route takes changes without a token. */
  readonly isOpen: boolean;
  readonly countDeadLetters: (count: number) => void;
  readonly meter: BodyMeter;
}

/**
 * Applies one delivery of a change feed. Replies 200 to any content once it is stored, since a feed repeats a refused
 * delivery and sends nothing after it. Only a wrong secret, a malformed body or a failure of the database is refused.
 */
export async function receiveWebhook(
  context: RouteContext,
  caller: Caller,
  options: WebhookOptions,
): Promise<JsonObject> {
  const { secret, isOpen, service, countDeadLetters, meter } = options;
  if (secret === undefined && !isOpen) {
    throw refuse("PERMISSION_DENIED", "The webhook is closed: expected a server with --webhook-secret-file");
  }
  await secret?.checkAuthorization(context.req.header("authorization") ?? null);
  const feed = new URL(context.req.url).searchParams.get("feed") ?? "default";
  if (!FEED_NAME.test(feed)) {
    const expected = "1 to 64 letters, digits, dots, underscores or hyphens";
    throw refuse("FIELD_OUT_OF_RANGE", `Cannot read feed "${shortenText(feed)}": expected ${expected}`, {
      field: "feed",
      value: feed,
      expected,
    });
  }
  const receipt = await service.applyFeedDelivery(await readJsonBody(context, MAX_DELIVERY_BYTES, meter), feed, caller);
  countDeadLetters(receipt.deadLetters);
  return convertReceiptToJson(receipt);
}

function convertReceiptToJson({ accepted, duplicates, outOfBand, ignored, deadLetters }: DeliveryReceipt): JsonObject {
  return { accepted, duplicates, out_of_band: outOfBand, ignored, dead_letters: deadLetters };
}
