import { useState } from "preact/hooks";
import type { KeptNotice, ListNoticesResponse } from "#gen/datacenter/v1/json.ts";
import { stripRefKinds } from "#words/names.ts";
import { type CallState, callRpc, callWithSignIn, convertToCallError, useCall } from "../api/client.ts";
import { useCanWrite } from "../edit/changes_panel.tsx";
import { formatQuantity } from "../labels.ts";
import { PageHead, ReplyView } from "../ui/page.tsx";
import { Card, type Column, EmptyText, Table, TimeText } from "../ui/parts.tsx";
import { SeverityBadge } from "./rehearsal.tsx";

const LIST_NOTICES_RPC = "datacenter.v1.PlanningService/ListNotices";
const LIST_OPTIONS = { page_size: 200 };
/** Maximum time to wait for a trial's result, in milliseconds; longer than the server waits for a receiver. */
const TEST_TIMEOUT_MS = 20_000;
const POLL_INTERVAL_MS = 500;

/** Page with the receivers of notices, the notices that wait to be sent, and those that could not be sent. */
export function NoticesPage() {
  const asked = useCall(LIST_NOTICES_RPC, { ...LIST_OPTIONS, state: "NOTICE_STATE_WAITING" });
  const dead = useCall(LIST_NOTICES_RPC, { ...LIST_OPTIONS, state: "NOTICE_STATE_DEAD" });
  const { waiting_count = 0, dead_count = 0 } = asked.reply ?? {};
  const orders = useOperations([asked, dead]);
  return (
    <>
      <PageHead
        title="Notices"
        kind={
          asked.reply === undefined
            ? "Messages about changed risks"
            : `${formatQuantity(waiting_count, "notice")} waiting, ${formatQuantity(dead_count, "dead letter")}`
        }
      />
      <p role="status">{orders.resultText}</p>
      <ReplyView asked={asked}>
        {(reply) => (
          <>
            <ReceiverList names={reply.receivers} orders={orders} />
            <Card title="Waiting">
              <NoticeTable notices={reply.notices} total={waiting_count}>
                No notice waits.
              </NoticeTable>
            </Card>
          </>
        )}
      </ReplyView>
      <ReplyView asked={dead}>{(reply) => <DeadLetterList reply={reply} orders={orders} />}</ReplyView>
    </>
  );
}

interface NoticeOperations {
  /** Result of the last operation as text. */
  readonly resultText: string;
  readonly isBusy: boolean;
  /** Runs an operation that returns its result as text. */
  readonly runOperation: (order: () => Promise<string>) => void;
}

/** Runs one operation at a time, and reloads the lists after it. */
function useOperations(lists: readonly Pick<CallState<unknown>, "reload">[]): NoticeOperations {
  const [said, say] = useState("");
  const [isBusy, setBusy] = useState(false);
  const run = async (order: () => Promise<string>) => {
    setBusy(true);
    say("");
    say(await order().catch((error: unknown) => convertToCallError(error).message));
    setBusy(false);
    for (const { reload } of lists) reload();
  };
  return { resultText: said, isBusy, runOperation: (order) => void run(order) };
}

function ReceiverList({ names, orders }: { readonly names: readonly string[]; readonly orders: NoticeOperations }) {
  const isWriter = useCanWrite();
  return (
    <Card title="Receivers">
      {names.length === 0 ? (
        <EmptyText>
          No server sends notices: start one with <code>planner dc serve --notify &lt;file&gt;</code>.
        </EmptyText>
      ) : (
        <ul class="plan">
          {names.map((name) => (
            <li key={name}>
              {name}{" "}
              {isWriter ? (
                <button
                  type="button"
                  disabled={orders.isBusy}
                  onClick={() => orders.runOperation(() => sendTestNotice(name))}
                >
                  Send a trial<span class="sr-only"> to {name}</span>
                </button>
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** Sends a test notice and waits for its first attempt. Returns the result as text. */
async function sendTestNotice(receiver: string): Promise<string> {
  const rpc = "datacenter.v1.PlanningService/TestNotice";
  const { notice } = await callWithSignIn(() => callRpc(rpc, { receiver, request_id: crypto.randomUUID() }));
  for (const end = performance.now() + TEST_TIMEOUT_MS; performance.now() < end; ) {
    const { notices, next_page_token: more } = await callWithSignIn(() =>
      callRpc(LIST_NOTICES_RPC, { state: "NOTICE_STATE_WAITING", page_size: 1000 }),
    );
    const found = notices.find((one) => one.id === notice.id);
    if (found === undefined && more === "") return `“${receiver}” took the trial.`;
    if (found !== undefined && found.error !== "") return `“${receiver}” did not take the trial: ${found.error}.`;
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  return `The trial to “${receiver}” was not sent yet: it waits.`;
}

async function resendNotices(ids: readonly string[]): Promise<string> {
  const rpc = "datacenter.v1.PlanningService/ResendNotices";
  const { resent } = await callWithSignIn(() => callRpc(rpc, { ids, request_id: crypto.randomUUID() }));
  return `${formatQuantity(resent, "dead letter")} will be sent again.`;
}

function DeadLetterList({ reply, orders }: { readonly reply: ListNoticesResponse; readonly orders: NoticeOperations }) {
  const isWriter = useCanWrite();
  const action =
    isWriter && reply.dead_count > 0 ? (
      <button type="button" disabled={orders.isBusy} onClick={() => orders.runOperation(() => resendNotices([]))}>
        Send again
      </button>
    ) : null;
  return (
    <Card title="Dead letters" action={action}>
      <NoticeTable notices={reply.notices} total={reply.dead_count}>
        Every notice was taken within a day, or still waits.
      </NoticeTable>
    </Card>
  );
}

const NOTICE_COLUMNS: readonly Column<KeptNotice>[] = [
  { name: "Notice", cell: ({ summary }) => stripRefKinds(summary) },
  { name: "Severity", cell: ({ severity }) => <SeverityBadge severity={severity} /> },
  { name: "To", cell: ({ receiver }) => receiver },
  { name: "When", cell: ({ time }) => (time === undefined ? "" : <TimeText at={time} />) },
  { name: "Tries", numeric: true, cell: ({ attempts }) => attempts },
  {
    name: "Next or last try",
    cell: ({ next_time, dead_time }) => {
      const at = dead_time ?? next_time;
      return at === undefined ? "" : <TimeText at={at} />;
    },
  },
  { name: "Why", cell: ({ error }) => error },
];

interface NoticeTableProps {
  readonly notices: readonly KeptNotice[];
  /** Total number of notices. */
  readonly total: number;
  readonly children: string;
}

function NoticeTable({ notices, total, children }: NoticeTableProps) {
  return (
    <>
      <Table
        caption="Notices in the order of sending"
        columns={NOTICE_COLUMNS}
        rows={notices}
        rowKey={({ id }) => id}
        empty={children}
      />
      {notices.length < total ? (
        <p class="muted">
          The first {notices.length} of {total}.
        </p>
      ) : null}
    </>
  );
}
