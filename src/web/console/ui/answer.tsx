import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CallError } from "../api/client.ts";
import type { CallState } from "../api/use_call.ts";
import { simplifyMessage } from "../plain_message.ts";
import { formatPageUrl } from "../router.ts";
import { SignInForm } from "./sign_in.tsx";

/** Form of the placeholder for a reply: figures side by side, rows, cards, or a single block. */
export type PlaceholderShape = "tiles" | "rows" | "cards" | "block";

/** Shows a reply, a placeholder of its form, or its error. The old reply stays, dimmed, while a new one loads. */
export function ReplyView<Reply>(props: {
  readonly asked: CallState<Reply>;
  readonly shape?: PlaceholderShape;
  readonly children: (reply: Reply) => ComponentChildren;
}) {
  const { asked, shape, children } = props;
  if (asked.error !== undefined) return <FailureView error={asked.error} again={asked.reload} />;
  if (asked.reply === undefined) return asked.loading ? <Skeleton shape={shape ?? "block"} /> : null;
  return (
    <div class={asked.loading ? "outdated" : undefined} aria-busy={asked.loading}>
      {children(asked.reply)}
    </div>
  );
}

/** Time in milliseconds after which a placeholder also shows a text. */
const SLOW_REPLY_MS = 4000;

/** Number of parts that a placeholder of each form draws. */
const PLACEHOLDER_PARTS: Readonly<Record<PlaceholderShape, number>> = { tiles: 5, rows: 12, cards: 3, block: 1 };

/** Placeholder for a reply. If the reply is slow, the placeholder shows a text. */
export function Skeleton({ shape = "block" }: { readonly shape?: PlaceholderShape }) {
  const [isSlow, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), SLOW_REPLY_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class={`skeleton ${shape}`} role="status">
      <p class={isSlow ? "" : "sr-only"}>{isSlow ? "Still waiting for the server…" : "Loading…"}</p>
      {Array.from({ length: PLACEHOLDER_PARTS[shape] }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts are alike and keep their order
        <span key={at} />
      ))}
    </div>
  );
}

/** Error codes for which a repeated request would fail again. */
const FINAL_ERROR_CODES: ReadonlySet<string> = new Set(["not_found", "invalid_argument", "permission_denied"]);

export function FailureView({ error, again }: { readonly error: CallError; readonly again?: () => void }) {
  if (error.code === "unauthenticated") return <SignInCard message={error.message} />;
  return (
    <div class="failure" role="alert">
      <h2>{TITLES_BY_CODE[error.code] ?? "That did not work"}</h2>
      <p>{error.message}</p>
      {error.violations.length > 1 ? (
        <ul>
          {error.violations.map(({ field, description }) => (
            <li key={field}>
              {simplifyMessage(field)}: {description}
            </li>
          ))}
        </ul>
      ) : null}
      {error.code === "not_found" ? (
        <p>
          It may have been renamed or deleted: search for its name, or see{" "}
          <a href={formatPageUrl("history")}>the changes</a>.
        </p>
      ) : null}
      {again === undefined || FINAL_ERROR_CODES.has(error.code) ? null : (
        <button type="button" onClick={again}>
          {error.code === "outdated" ? "Load again" : "Try again"}
        </button>
      )}
    </div>
  );
}

const TITLES_BY_CODE: Readonly<Record<string, string>> = {
  offline: "No connection",
  not_found: "Not found",
  permission_denied: "Not allowed",
  invalid_argument: "Not understood",
  unavailable: "Database unavailable",
  deadline_exceeded: "Took too long",
  outdated: "This page is outdated",
};

function SignInCard({ message }: { readonly message: string }) {
  return (
    <section class="failure">
      <h2>This server asks for a token</h2>
      <SignInForm message={message} />
    </section>
  );
}
