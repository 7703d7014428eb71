import type { CheckWindowResponse, WindowReason } from "#gen/datacenter/v1/json.ts";
import { formatEnum, getRefName, stripRefKinds } from "#words/names.ts";
import { FindingLine } from "../edit/changes_panel.tsx";
import { formatQuantity } from "../labels.ts";
import { RefLink } from "../ui/parts.tsx";
import { contactWords, impactWord, reasonNumbers, spanWords, stateOfVerdict, Verdict } from "./window_words.tsx";

/** Reasons of a kind that are listed at once, and codes of a contact. */
const [REASONS, CODES] = [3, 6];

/** What the service says of a window: verdict, impact, reasons, what one more failure takes, and whom to tell. */
export function Judgement({
  judged,
  accept,
}: {
  readonly judged: CheckWindowResponse;
  /** Accepts the loss of an element; absent where nothing is being edited. */
  readonly accept?: (ref: string) => void;
}) {
  const { reasons, pieces, contacts, blocking_windows: blocking, relieved_by: relief } = judged;
  // What is accepted comes last.
  const sorted = reasons.toSorted((a, b) => Number(a.accepted) - Number(b.accepted));
  const first = [...Map.groupBy(sorted, ({ kind }) => kind).values()].flatMap((all) => all.slice(0, REASONS));
  const others = sorted.filter((reason) => !first.includes(reason));
  const rest = others.length + judged.omitted_reasons;
  return (
    <div class="judgement">
      <p class="verdict" role="status">
        <Verdict verdict={judged.verdict} /> {impactWord(judged)}
      </p>
      {reasons.length === 0 ? <p>Nothing is lost, and no reserve is used.</p> : null}
      <Reasons reasons={first} accept={accept} />
      {rest === 0 ? null : (
        <details>
          <summary>{formatQuantity(rest, "more reason")}</summary>
          <Reasons reasons={others} accept={accept} />
        </details>
      )}
      <Named title="It would be better without" refs={blocking.map((code) => `window:${code}`)} />
      <Named title="It would be better with one of these out as well" refs={relief.slice(0, CODES)} />
      {pieces.length < 2 ? null : (
        <>
          <h3>Beside other windows</h3>
          <ul class="edit-findings">
            {pieces.map((piece) => (
              <FindingLine
                key={piece.starts_at}
                state={stateOfVerdict(piece.verdict)}
                title={`${formatEnum(piece.verdict, "WINDOW_VERDICT")}: ${spanWords(piece)}`}
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
          const [who, what] = contactWords(one, CODES);
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

function Reasons(props: {
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
            state={isNote ? "info" : stateOfVerdict(verdict)}
            title={stripRefKinds(summary)}
          >
            {reasonNumbers(reason)}
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

function Named({ title, refs }: { readonly title: string; readonly refs: readonly string[] }) {
  if (refs.length === 0) return null;
  return (
    <p>
      {title}:{" "}
      {refs.map((ref, at) => (
        <span key={ref}>
          {at === 0 ? null : ", "}
          <RefLink to={ref} label={ref.startsWith("window:") ? getRefName(ref) : stripRefKinds(ref)} />
        </span>
      ))}
    </p>
  );
}

function NextFailures({
  judged: { next_failures: all, omitted_next_failures: omitted },
}: {
  readonly judged: CheckWindowResponse;
}) {
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
