import type { ComponentChildren } from "preact";
import type { Finding } from "#gen/datacenter/v1/json.ts";
import { formatConstant } from "#words/names.ts";
import { StateMark } from "../../shared/state.tsx";
import type { State } from "../../shared/state_of_share.ts";
import type { CallError } from "../api/client.ts";
import { simplifyMessage } from "../plain_message.ts";
import type { ValueDifference } from "./differences.ts";
import type { ChangeProposal } from "./use_proposal.ts";

/** Table with a row per value, which shows the value now and after a change. */
export function BeforeAfterTable({ head, children }: { readonly head: string; readonly children: ComponentChildren }) {
  return (
    <table class="changes">
      <thead>
        <tr>
          <th scope="col">{head}</th>
          <th scope="col">Now</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** Table of changed fields with their old and new values; removed values are struck out, new ones are bold. */
export function ChangesTable({ changes }: { readonly changes: readonly ValueDifference[] }) {
  if (changes.length === 0) return <p class="empty">Nothing is changed yet.</p>;
  return (
    <BeforeAfterTable head="Field">
      {changes.map(({ key, label, beforeText, afterText }) => (
        <tr key={key}>
          <th scope="row">{label}</th>
          <td>{beforeText === "" ? <span class="muted">not set</span> : <s>{beforeText}</s>}</td>
          <td>{afterText === "" ? <span class="muted">not set</span> : <strong>{afterText}</strong>}</td>
        </tr>
      ))}
    </BeforeAfterTable>
  );
}

export function FindingLine(props: {
  readonly state: State;
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  const { state, title, children } = props;
  return (
    <li>
      <StateMark state={state} />
      <div>
        <strong>{title}</strong>
        {children === undefined ? null : <p>{children}</p>}
      </div>
    </li>
  );
}

/** Effects and refusals that the service reports for a proposal before it is written. */
export function ProposalFindings({ proposal: { state, preview, errors } }: { readonly proposal: ChangeProposal }) {
  return (
    <ul class="edit-findings" aria-live="polite">
      {state === "allowed" ? <WarningList warnings={preview?.warnings ?? []} /> : null}
      {errors.map((error) => (
        <RefusalLine key={error.message} error={error} />
      ))}
      {state === "away" ? (
        <FindingLine state="unknown" title="Not checked yet">
          The server does not answer. It is asked again every second; what is typed stays.
        </FindingLine>
      ) : null}
      {state === "checking" ? <FindingLine state="unknown" title="Checking with the server" /> : null}
      {state === "none" ? <FindingLine state="info" title="Nothing to check yet" /> : null}
    </ul>
  );
}

export function WarningList({ warnings }: { readonly warnings: readonly Finding[] }) {
  if (warnings.length === 0) return <FindingLine state="ok" title="No rule is broken" />;
  return (
    <>
      {warnings.map(({ code, message, ref }) => (
        <FindingLine key={`${code} ${message} ${ref}`} state="watch" title={formatConstant(code)}>
          {simplifyMessage(message)}
        </FindingLine>
      ))}
    </>
  );
}

/** Maximum number of listed reasons of one refusal. */
const MAX_LISTED_REASONS = 5;

export function RefusalLine({ error: { violations, message, reason } }: { readonly error: CallError }) {
  const all = violations.length === 0 ? [message] : violations.map(({ description }) => description);
  const texts = [...new Set(all)];
  return (
    <>
      {texts.slice(0, MAX_LISTED_REASONS).map((text) => (
        <FindingLine key={text} state="fault" title={reason === "" ? "Refused" : formatConstant(reason)}>
          {text}
        </FindingLine>
      ))}
      {texts.length > MAX_LISTED_REASONS ? <li>And {texts.length - MAX_LISTED_REASONS} more of these.</li> : null}
    </>
  );
}

/** Error of a failed write, unless the findings already contain it. */
export function WriteProblem({ proposal: { problem, errors } }: { readonly proposal: ChangeProposal }) {
  if (problem === undefined || errors.some(({ message }) => message === problem.message)) return null;
  return (
    <ul class="edit-findings" role="alert">
      <RefusalLine error={problem} />
    </ul>
  );
}
