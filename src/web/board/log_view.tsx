import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { followLog, useBoardPageState } from "./store.ts";

/** Maximum number of drawn lines: the last ones, or the last ones that match the search. */
const MAX_LINES = 2000;

/** The log of a spec. It scrolls with new lines until the person stops it, and can be searched. */
export function LogView({ id, hasLog }: { readonly id: string; readonly hasLog: boolean }) {
  const { log } = useBoardPageState();
  const [follows, setFollows] = useState(true);
  const [searchText, setSearchText] = useState("");
  const frame = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (hasLog) followLog(id);
  }, [id, hasLog]);
  const text = log?.id === id ? log.text : "";
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const found =
    searchText === "" ? lines : lines.filter((line) => line.toLowerCase().includes(searchText.toLowerCase()));
  // biome-ignore lint/correctness/useExhaustiveDependencies: new text moves the view
  useLayoutEffect(() => {
    if (follows && frame.current !== null) frame.current.scrollTop = frame.current.scrollHeight;
  }, [text, follows, searchText]);
  if (!hasLog) return null;
  return (
    <section class="log">
      <h3>Log</h3>
      <div class="actions">
        <input
          type="search"
          aria-label="Search the log"
          placeholder="Search the log"
          value={searchText}
          onInput={({ currentTarget }) => setSearchText(currentTarget.value)}
        />
        <button type="button" aria-pressed={follows} onClick={() => setFollows(!follows)}>
          Follow
        </button>
        <span class="muted">
          {searchText === "" ? `${lines.length} lines` : `${found.length} of ${lines.length} lines`}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by the keyboard */}
      <pre ref={frame} tabIndex={0} role="log" aria-label="Log" aria-live="off">
        {found.slice(-MAX_LINES).join("\n")}
      </pre>
    </section>
  );
}
