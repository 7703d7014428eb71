import type { CheckWindowResponse, WindowReason } from "#gen/datacenter/v1/json.ts";
import { formatEnum, stripRefKinds } from "#words/names.ts";
import { FindingLine } from "../edit/changes_panel.tsx";
import { formatQuantity } from "../labels.ts";
import { joinWithCommas, RefLink } from "../ui/parts.tsx";
import {
  describeContact,
  formatTimeSpan,
  formatWindowReasonFigures,
  getVerdictState,
  VerdictBadge,
} from "./window_words.tsx";

/** Maximum numbers of reasons of one kind that are listed at first, and of codes of one contact. */
const [MAX_REASONS, MAX_CODES] = [3, 6];

/** The service's assessment of a window: verdict, impact, reasons, one more failure's effects, contacts to inform. */
export function WindowJudgement(props: {
  readonly judged: CheckWindowResponse;
  /** Accepts the loss of an element; absent if nothing is being edited. */
  readonly accept?: (ref: string) => void;
}) {
  const { judged, accept } = props;
  const { reasons, pieces, contacts, blocking_windows: blocking, relieved_by: relief } = judged;
  // Accepted reasons come last.
  const sorted = reasons.toSorted((a, b) => Number(a.accepted) - Number(b.accepted));
  const first = [...Map.groupBy(sorted, ({ kind }) => kind).values()].flatMap((all) => all.slice(0, MAX_REASONS));
  const others = sorted.filter((reason) => !first.includes(reason));
  const rest = others.length + judged.omitted_reasons;
  return (
    <div class="judgement">
      <p class="verdict" role="status">
        <VerdictBadge verdict={judged.verdict} /> {formatEnum(judged.impact, "WINDOW_IMPACT").toLowerCase()}
      </p>
      {reasons.length === 0 ? <p>Nothing is lost, and no reserve is used.</p> : null}
      <JudgementReasons reasons={first} accept={accept} />
      {rest === 0 ? null : (
        <details>
          <summary>{formatQuantity(rest, "more reason")}</summary>
          <JudgementReasons reasons={others} accept={accept} />
        </details>
      )}
      <NamedElements title="It would be better without" refs={blocking.map((code) => `window:${code}`)} />
      <NamedElements title="It would be better with one of these out as well" refs={relief.slice(0, MAX_CODES)} />
      {pieces.length < 2 ? null : (
        <>
          <h3>Beside other windows</h3>
          <ul class="edit-findings">
            {pieces.map((piece) => (
              <FindingLine
                key={piece.starts_at}
                state={getVerdictState(piece.verdict)}
                title={`${formatEnum(piece.verdict, "WINDOW_VERDICT")}: ${formatTimeSpan(piece)}`}
              >
                {piece.window_codes.length === 0 ? "alone" : `with ${piece.window_codes.join(", ")}`}
              </FindingLine>
            ))}
          </ul>
        </>
      )}
      {contacts.length === 0 ? null : <h3>Whom to tell</h3>}
      <dl class="facts">
        {contacts.map((one) => {
          const [who, what] = describeContact(one, MAX_CODES);
          return (
            <div key={who}>
              <dt>{who}</dt>
              <dd>{what}</dd>
            </div>
          );
        })}
      </dl>
      <NextFailures judged={judged} />
    </div>
  );
}

function JudgementReasons(props: {
  readonly reasons: readonly WindowReason[];
  readonly accept: ((ref: string) => void) | undefined;
}) {
  const { reasons, accept } = props;
  return (
    <ul class="edit-findings">
      {reasons.map((reason) => {
        const { kind, verdict, ref, summary } = reason;
        const isNote = verdict === "WINDOW_VERDICT_GO";
        return (
          <FindingLine
            key={`${kind} ${ref} ${summary}`}
            state={isNote ? "info" : getVerdictState(verdict)}
            title={stripRefKinds(summary)}
          >
            {formatWindowReasonFigures(reason)}
            {accept === undefined || isNote || !/_LOST$|_SHORT$|_CUT_OFF$/.test(kind) ? null : (
              <>
                {" "}
                <button type="button" class="link" onClick={() => accept(ref)}>
                  Accept this loss
                </button>
              </>
            )}
          </FindingLine>
        );
      })}
    </ul>
  );
}

function NamedElements({ title, refs }: { readonly title: string; readonly refs: readonly string[] }) {
  if (refs.length === 0) return null;
  return (
    <p>
      {title}: {joinWithCommas(refs.map((ref) => <RefLink key={ref} to={ref} />))}
    </p>
  );
}

function NextFailures(props: { readonly judged: CheckWindowResponse }) {
  const {
    judged: { next_failures: all, omitted_next_failures: omitted },
  } = props;
  if (all.length === 0) return null;
  return (
    <details>
      <summary>
        {all.length + omitted === 1 ? "One more failure takes" : `${all.length + omitted} single failures take`}{" "}
        something more
      </summary>
      <ul>
        {all.map(({ ref, summary }) => (
          <li key={ref}>{stripRefKinds(summary)}</li>
        ))}
      </ul>
    </details>
  );
}
