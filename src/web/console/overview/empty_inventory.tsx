import { useLayoutEffect, useState } from "preact/hooks";
import { CallError, callWithSignIn, canWrite, readJsonRoute, useSession } from "../api/client.ts";
import type { InventoryOverview } from "../api/replies.ts";
import { type ImportRunner, useImportRunner } from "../import/import_file.ts";
import { ImportResult } from "../import/import_result.tsx";
import { formatPageUrl } from "../router.ts";
import { FailureView, PageHead } from "../ui/page.tsx";
import { Card } from "../ui/parts.tsx";

/**
 * First steps for an empty inventory.
 * @param setFilled receives false while items of the sample are unsent or refused, so that this page stays open
 */
export function EmptyInventory({ setFilled }: { readonly setFilled: (isFilled: boolean) => void }) {
  const sample = useImportRunner();
  const isUnfinished = sample.run !== undefined && (!sample.run.isDone || sample.run.refused.length > 0);
  useLayoutEffect(() => setFilled(!isUnfinished), [isUnfinished, setFilled]);
  const { reply: session } = useSession();
  return (
    <>
      <PageHead title="Overview" />
      <Card title={sample.run === undefined ? "Nothing is recorded yet" : "The sample is being written"}>
        <p>Racks, devices, cooling units, cables and fabric links belong here. The ways to get them in:</p>
        <ul class="plain-list">
          <li>
            {canWrite(session) ? (
              <a class="button primary" href={formatPageUrl("import")}>
                Import a file
              </a>
            ) : (
              "Somebody with role writer may import a file."
            )}
          </li>
          {canWrite(session) ? (
            <li>
              <LoadSampleButton running={sample} />
            </li>
          ) : null}
          <li>
            Bring NetBox, a CSV file or containerlab: <code>planner dc import --help</code>
          </li>
        </ul>
      </Card>
    </>
  );
}

/** Button that writes the sample site by import calls, after a confirmation and only into an empty inventory. */
function LoadSampleButton({ running }: { readonly running: ImportRunner }) {
  const [isConfirming, setConfirming] = useState(false);
  const [error, setError] = useState<CallError>();
  const loadSample = async () => {
    setConfirming(false);
    setError(undefined);
    try {
      const { totals } = await callWithSignIn(() => readJsonRoute<InventoryOverview>("/estate", {}));
      if (totals.racks + totals.devices > 0) {
        throw new CallError(
          "failed_precondition",
          "Somebody has recorded racks or devices meanwhile. Nothing was written.",
        );
      }
      const lists = await callWithSignIn(() => readJsonRoute<object>("/sample", {}));
      await running.writeAll({ text: JSON.stringify(lists) });
    } catch (reason) {
      if (!(reason instanceof CallError)) throw reason;
      setError(reason);
    }
  };
  if (running.run !== undefined) return <ImportResult run={running.run} goOn={running.continueRun} sheet={undefined} />;
  return (
    <>
      {isConfirming ? (
        <div class="sample-question">
          <p>
            This writes the sample site AMS1 into this server's database: 40 racks, 808 devices, 8 cooling units, 1,822
            cables and 272 fabric links. Only deleting them removes them.
          </p>
          <button type="button" class="primary" onClick={() => void loadSample()}>
            Write the sample
          </button>{" "}
          <button type="button" onClick={() => setConfirming(false)}>
            Cancel
          </button>
        </div>
      ) : (
        <button type="button" onClick={() => setConfirming(true)}>
          Load a sample of 40 racks
        </button>
      )}
      {error === undefined ? null : <FailureView error={error} />}
    </>
  );
}
