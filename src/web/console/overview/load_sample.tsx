import { useState } from "preact/hooks";
import { CallError, read } from "../api/client.ts";
import type { InventoryOverview } from "../api/replies.ts";
import { signedIn } from "../api/sign_in.ts";
import { ImportResult } from "../import/import_result.tsx";
import { parseLists } from "../import/parse_items.ts";
import type { Running } from "../import/use_run.ts";
import { Failure } from "../ui/answer.tsx";

/** Writes the sample site through the same calls as an import, after a question, and only where nothing is recorded. */
export function LoadSample({ running }: { readonly running: Running }) {
  const [isAsked, setAsked] = useState(false);
  const [error, setError] = useState<CallError>();
  const load = async () => {
    setAsked(false);
    setError(undefined);
    try {
      const { totals } = await signedIn(() => read<InventoryOverview>("/estate", {}));
      if (totals.racks + totals.devices > 0) {
        throw new CallError(
          "failed_precondition",
          "Somebody has recorded racks or devices meanwhile. Nothing was written.",
        );
      }
      const lists = await signedIn(() => read<Readonly<Record<string, unknown>>>("/sample", {}));
      await running.writeAll(parseLists(lists));
    } catch (reason) {
      if (!(reason instanceof CallError)) throw reason;
      setError(reason);
    }
  };
  if (running.run !== undefined) return <ImportResult running={running} />;
  return (
    <>
      {isAsked ? (
        <div class="sample-question">
          <p>
            This writes the sample site AMS1 into this server's database: 40 racks, 808 devices, 8 cooling units, 1,822
            cables and 272 fabric links. Only deleting them removes them.
          </p>
          <button type="button" class="primary" onClick={() => void load()}>
            Write the sample
          </button>{" "}
          <button type="button" onClick={() => setAsked(false)}>
            Cancel
          </button>
        </div>
      ) : (
        <button type="button" onClick={() => setAsked(true)}>
          Load a sample of 40 racks
        </button>
      )}
      {error === undefined ? null : <Failure error={error} />}
    </>
  );
}
