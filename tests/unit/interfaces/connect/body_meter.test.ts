import { describe, expect, test } from "bun:test";
import { Refusal } from "#dc/model/refusal.ts";
import { BulkUpsertDevicesRequestSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import { checkAndChargeBinary, checkAndChargeJson } from "#interfaces/connect/body_meter.ts";
import { runAllSteps } from "#kernel/clock.ts";
import { ByteBudget } from "#kernel/slots.ts";

const MIB = 1024 * 1024;
const DEFAULT_BUDGET = 512 * MIB;

const list = (count: number, item: string) => Buffer.from(`{"items":[${Array(count).fill(item).join(",")}]}`);
const port = '{"name":"e1","kind":"PORT_KIND_NETWORK"}';
const devices = (count: number, ports: number) =>
  list(count, `{"code":"D-1","kind":"DEVICE_KIND_SERVER","ports":[${Array(ports).fill(port).join(",")}]}`);
/** Two bytes for each empty device. */
const binary = (count: number) => Buffer.alloc(2 * count, Buffer.from([0x0a, 0x00]));

/** The reason for which a body is refused beside others that hold so much; "" if it is taken. */
function judge(body: Buffer, budgetMiB: number, heldMiB: number, isBinary = false): string {
  const budget = new ByteBudget(budgetMiB * MIB);
  for (let held = 0; held < heldMiB; held += 1) budget.openAccount().tryCharge(MIB);
  const account = budget.openAccount();
  account.tryCharge(body.length);
  try {
    runAllSteps(
      isBinary
        ? checkAndChargeBinary(BulkUpsertDevicesRequestSchema, body, account)
        : checkAndChargeJson(body, account),
    );
    return "";
  } catch (error) {
    return error instanceof Refusal ? error.reason : String(error);
  }
}

const BUSY = "SERVER_BUSY";
const NEVER = "MESSAGE_TOO_COMPLEX";

describe("the memory of a message is refused for now if it fits later, and for ever if it never does:", () => {
  const budgetMiB = DEFAULT_BUDGET / MIB;
  const CASES: Readonly<Record<string, readonly [string, Parameters<typeof judge>]>> = {
    "a small body": ["", [devices(1, 1), budgetMiB, 0]],
    "1,000 devices with 95 ports": ["", [devices(1000, 95), budgetMiB, 0]],
    "1,000 devices with 299 ports": ["", [devices(1000, 299), budgetMiB, 0]],
    "1,000 devices with 95 ports beside other requests": ["", [devices(1000, 95), budgetMiB, 100]],
    "1,000 devices with 299 ports while much is held": [BUSY, [devices(1000, 299), budgetMiB, 300]],
    "1,000 devices with 95 ports while nearly all is held": [BUSY, [devices(1000, 95), budgetMiB, 380]],
    "1,000 devices with 299 ports on a small budget": [NEVER, [devices(1000, 299), 64, 0]],
    "the same while much of the small budget is held": [NEVER, [devices(1000, 299), 64, 40]],
    "480,000 empty objects": [NEVER, [list(480_000, "{}"), budgetMiB, 0]],
    "480,000 empty objects on a large budget": ["", [list(480_000, "{}"), 4096, 0]],
    "300,000 empty messages": ["", [binary(300_000), budgetMiB, 0, true]],
    "300,000 empty messages while much is held": [BUSY, [binary(300_000), budgetMiB, 200, true]],
    "900,000 empty messages": [NEVER, [binary(900_000), budgetMiB, 0, true]],
    "more than a million values": [NEVER, [list(1_000_001, "1"), 4096, 0]],
  };
  for (const [what, [reason, given]] of Object.entries(CASES)) test(what, () => expect(judge(...given)).toBe(reason));
});
