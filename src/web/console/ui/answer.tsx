import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { CallError } from "../api/client.ts";
import { token } from "../api/token.ts";
import type { Asked } from "../api/use_call.ts";

/** Shows an answer, the wait for it, or why there is none. An old answer stays, dimmed, while a new one comes. */
export function Answer<Reply>({
  asked,
  children,
}: {
  readonly asked: Asked<Reply>;
  readonly children: (reply: Reply) => ComponentChildren;
}) {
  if (asked.error !== undefined) return <Failure error={asked.error} again={asked.again} />;
  if (asked.reply === undefined) return asked.loading ? <Skeleton /> : null;
  return (
    <div class={asked.loading ? "stale" : undefined} aria-busy={asked.loading}>
      {children(asked.reply)}
    </div>
  );
}

function Skeleton() {
  return (
    <div class="skeleton" role="status">
      <span class="sr-only">Loading</span>
      <span />
      <span />
      <span />
    </div>
  );
}

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
              <code>{field}</code>: {description}
            </li>
          ))}
        </ul>
      ) : null}
      {again === undefined || error.code === "not_found" ? null : (
        <button type="button" onClick={again}>
          Try again
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
};

function title({ code }: CallError): string {
  return TITLES[code] ?? "That did not work";
}

function SignIn({ message }: { readonly message: string }) {
  const [text, setText] = useState("");
  return (
    <form
      class="failure sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        token.set(text.trim());
      }}
    >
      <h2>This server asks for a token</h2>
      <p>{token.value() === "" ? "Nothing is shown without one." : message}</p>
      <label>
        Token
        <input
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={text.trim() === ""}>
        Use it in this tab
      </button>
    </form>
  );
}
