import { useEffect, useState } from "preact/hooks";

/** The pages walked so far: tokens lead forward only, so the way back is remembered. */
export interface Pages {
  readonly token: string;
  readonly number: number;
  readonly forward: (token: string) => void;
  readonly back: () => void;
}

/** Begins anew when the question changes. */
export function usePages(question: string): Pages {
  const [walked, setWalked] = useState<{ readonly question: string; readonly tokens: readonly string[] }>({
    question,
    tokens: [],
  });
  const tokens = walked.question === question ? walked.tokens : [];
  useEffect(() => setWalked({ question, tokens: [] }), [question]);
  return {
    token: tokens.at(-1) ?? "",
    number: tokens.length + 1,
    forward: (token) => setWalked({ question, tokens: [...tokens, token] }),
    back: () => setWalked({ question, tokens: tokens.slice(0, -1) }),
  };
}

export function Pager({ pages, next }: { readonly pages: Pages; readonly next: string }) {
  if (next === "" && pages.number === 1) return null;
  return (
    <nav class="pager" aria-label="Pages of this list">
      <button type="button" disabled={pages.number === 1} onClick={pages.back}>
        Previous
      </button>
      <span>Page {pages.number}</span>
      <button type="button" disabled={next === ""} onClick={() => pages.forward(next)}>
        Next
      </button>
    </nav>
  );
}
