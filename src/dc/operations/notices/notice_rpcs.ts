import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type KeptNoticeSchema,
  ListNoticesResponseSchema,
  ResendNoticesResponseSchema,
  TestNoticeResponseSchema,
} from "#gen/datacenter/v1/notices_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { FailureSeverity } from "#gen/datacenter/v1/rehearsal_pb.ts";
import { openPageToken, sealPageToken } from "../answers/page_token.ts";
import { readEnumValue, readPageSize, requireMaxFilterValues } from "../answers/parameters.ts";
import { defineRead, defineWrite } from "../rpc.ts";
import { addTrialNotice, type Notice, readNotices, readReceiverNames, resendNotices } from "./notice.ts";

export const listNotices = defineRead({
  method: PlanningService.method.listNotices,
  effect: "read",
  isUncached: true,
  async run({ context, reader }, { state, pageSize, pageToken }) {
    const limit = readPageSize(pageSize);
    const wanted = readEnumValue("state", state, ["WAITING", "DEAD"]);
    const question = ["notices", wanted ?? ""];
    const after = pageToken === "" ? 0 : openPageToken<number>(context.pageKey, question, pageToken);
    const all = await readNotices(reader);
    const [waiting, dead] = [all.filter((one) => !isDead(one)), all.filter(isDead)];
    const listed = wanted === undefined ? all : wanted === "DEAD" ? dead : waiting;
    const rest = listed.filter(({ seq }) => seq > after);
    const page = rest.slice(0, limit);
    const last = rest.length > limit ? page.at(-1) : undefined;
    return create(ListNoticesResponseSchema, {
      notices: page.map(createNoticeMessage),
      nextPageToken: last === undefined ? "" : sealPageToken(context.pageKey, question, last.seq),
      waitingCount: waiting.length,
      deadCount: dead.length,
      receivers: [...(await readReceiverNames(reader))],
    });
  },
});

export const testNotice = defineWrite({
  method: PlanningService.method.testNotice,
  effect: "write",
  async run({ context, writer, now }, { receiver }) {
    const added = await addTrialNotice(writer, receiver, { id: `msg_${context.newId()}`, now: Date.parse(now) });
    return create(TestNoticeResponseSchema, { notice: createNoticeMessage(added) });
  },
});

export const resendDeadNotices = defineWrite({
  method: PlanningService.method.resendNotices,
  effect: "write",
  async run({ writer, now }, { ids }) {
    requireMaxFilterValues("ids", ids.length);
    const again = await resendNotices(writer, ids.length === 0 ? undefined : ids, Date.parse(now));
    return create(ResendNoticesResponseSchema, { resent: again.length });
  },
});

const isDead = ({ deadAt }: Notice) => deadAt !== undefined;

function createNoticeMessage(notice: Notice): MessageInitShape<typeof KeptNoticeSchema> {
  const { id, receiver, body, attempts, error = "", nextAt, deadAt } = notice;
  const { type, subject, severity, state, was, summary, elements, at } = body;
  const told = { type, subject, severity: FailureSeverity[severity], state, was, summary, elementRefs: [...elements] };
  const due =
    deadAt === undefined ? { nextTime: timestampFromMs(Math.round(nextAt)) } : { deadTime: timestampFromMs(deadAt) };
  return { id, receiver, ...told, time: timestampFromDate(new Date(at)), attempts, error, ...due };
}
