import { create } from "@bufbuild/protobuf";
import { LIST_SIZES } from "#gen/datacenter/v1/bounds.ts";
import {
  KeptNoticeSchema,
  ListNoticesResponseSchema,
  ResendNoticesResponseSchema,
  TestNoticeResponseSchema,
} from "#gen/datacenter/v1/notices_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { cutPage, openPageToken, readEnumValue, readPageSize, requireMaxCount } from "../answers/parameters.ts";
import { convertToMessage } from "../messages/convert.ts";
import { defineRead, defineWrite } from "../rpc.ts";
import { addTrialNotice, type Notice, readNotices, readReceiverNames, resendNotices } from "./notice.ts";

export const listNotices = defineRead({
  method: PlanningService.method.listNotices,
  effect: "read",
  alsoReads: "notices",
  async run({ context, reader }, { state, pageSize, pageToken }) {
    const limit = readPageSize(pageSize);
    const wanted = readEnumValue("state", state, ["WAITING", "DEAD"]);
    const question = ["notices", wanted ?? ""];
    const after = openPageToken<number>(context.pageKey, question, pageToken) ?? 0;
    const all = await readNotices(reader);
    const [waiting, dead] = [all.filter((one) => !isDead(one)), all.filter(isDead)];
    const listed = wanted === undefined ? all : wanted === "DEAD" ? dead : waiting;
    const rest = listed.filter(({ seq }) => seq > after);
    const { page, nextPageToken } = cutPage({ key: context.pageKey, question }, rest, limit, ({ seq }) => seq);
    return create(ListNoticesResponseSchema, {
      notices: page.map(createNoticeMessage),
      nextPageToken,
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
    requireMaxCount("ids", ids.length, LIST_SIZES.ResendNoticesRequest.ids, "values");
    const again = await resendNotices(writer, ids.length === 0 ? undefined : ids, Date.parse(now));
    return create(ResendNoticesResponseSchema, { resent: again.length });
  },
});

const isDead = ({ deadAt }: Notice) => deadAt !== undefined;

function createNoticeMessage({ body, nextAt, deadAt, ...notice }: Notice) {
  const due = deadAt === undefined ? { nextTime: formatTime(Math.round(nextAt)) } : { deadTime: formatTime(deadAt) };
  return convertToMessage(KeptNoticeSchema, { ...notice, ...body, elementRefs: body.elements, time: body.at, ...due });
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}
