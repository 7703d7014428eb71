import { useEffect, useState } from "preact/hooks";

/** Pages visited so far. They are stored for the way back, because the service's page tokens lead only forward. */
export interface VisitedPages {
  readonly token: string;
  readonly number: number;
  readonly goForward: (token: string) => void;
  readonly goBack: () => void;
}

/** Stores the visited pages; starts again at the first page when the question changes. */
export function useVisitedPages(question: string): VisitedPages {
  const [visited, setWalked] = useState<{ readonly question: string; readonly tokens: readonly string[] }>({
    question,
    tokens: [],
  });
  const tokens = visited.question === question ? visited.tokens : [];
  useEffect(() => setWalked({ question, tokens: [] }), [question]);
  return {
    token: tokens.at(-1) ?? "",
    number: tokens.length + 1,
    goForward: (token) => setWalked({ question, tokens: [...tokens, token] }),
    goBack: () => setWalked({ question, tokens: tokens.slice(0, -1) }),
  };
}

export function Pager({ pages, next }: { readonly pages: VisitedPages; readonly next: string }) {
  if (next === "" && pages.number === 1) return null;
  return (
    <nav class="pager" aria-label="Pages of this list">
      <button type="button" disabled={pages.number === 1} onClick={pages.goBack}>
        Previous
      </button>
      <span>Page {pages.number}</span>
      <button type="button" disabled={next === ""} onClick={() => pages.goForward(next)}>
        Next
      </button>
    </nav>
  );
}
