import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CallError } from "../api/client.ts";
import type { CallState } from "../api/use_call.ts";
import { simplifyMessage } from "../plain_message.ts";
import { formatPageUrl } from "../router.ts";
import { SignInForm } from "./sign_in.tsx";

/** What comes: figures side by side, rows, cards, or something of unknown form. */
export type Shape = "tiles" | "rows" | "cards" | "block";

/** Shows an answer, the wait for it in its shape, or its error. An old answer stays, dimmed, while a new one comes. */
export function Answer<Reply>({
  asked,
  shape,
  children,
}: {
  readonly asked: CallState<Reply>;
  readonly shape?: Shape;
  readonly children: (reply: Reply) => ComponentChildren;
}) {
  if (asked.error !== undefined) return <Failure error={asked.error} again={asked.again} />;
  if (asked.reply === undefined) return asked.loading ? <Skeleton shape={shape ?? "block"} /> : null;
  return (
    <div class={asked.loading ? "outdated" : undefined} aria-busy={asked.loading}>
      {children(asked.reply)}
    </div>
  );
}

/** After so long, a person wonders whether anything happens. */
const LONG_MS = 4000;

/** Parts that are drawn of what comes. */
const PARTS: Readonly<Record<Shape, number>> = { tiles: 5, rows: 12, cards: 3, block: 1 };

/** The wait for something, in words after a while. */
export function Skeleton({ shape = "block" }: { readonly shape?: Shape }) {
  const [long, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class={`skeleton ${shape}`} role="status">
      <p class={long ? "" : "sr-only"}>{long ? "Still waiting for the server…" : "Loading…"}</p>
      {Array.from({ length: PARTS[shape] }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts are alike and keep their order
        <span key={at} />
      ))}
    </div>
  );
}

/** Asking the same once more helps in these cases no more than before. */
const FINAL: ReadonlySet<string> = new Set(["not_found", "invalid_argument", "permission_denied"]);

export function Failure({ error, again }: { readonly error: CallError; readonly again?: () => void }) {
  if (error.code === "unauthenticated") return <SignIn message={error.message} />;
  return (
    <div class="failure" role="alert">
      <h2>{title(error)}</h2>
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
      {again === undefined || FINAL.has(error.code) ? null : (
        <button type="button" onClick={again}>
          {error.code === "outdated" ? "Load again" : "Try again"}
        </button>
      )}
    </div>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  offline: "No connection",
  not_found: "Not found",
  permission_denied: "Not allowed",
  invalid_argument: "Not understood",
  unavailable: "Database unavailable",
  deadline_exceeded: "Took too long",
  outdated: "This page is outdated",
};

function title({ code }: CallError): string {
  return TITLES[code] ?? "That did not work";
}

function SignIn({ message }: { readonly message: string }) {
  return (
    <section class="failure">
      <h2>This server asks for a token</h2>
      <SignInForm message={message} />
    </section>
  );
}
