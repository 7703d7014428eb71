import type { InventoryOverview } from "../api/replies.ts";
import { mayWrite, useSession } from "../api/session.ts";
import { useInventory } from "../api/use_inventory.ts";
import { type Run, type Running, useRun } from "../import/use_run.ts";
import { counted } from "../labels.ts";
import { Causes } from "../overview/causes.tsx";
import { FailedNow, useFailures } from "../overview/failed_now.tsx";
import { FloorCard } from "../overview/floors.tsx";
import { Gauges } from "../overview/gauges.tsx";
import { LastChanges } from "../overview/last_changes.tsx";
import { LoadSample } from "../overview/load_sample.tsx";
import { type Rehearsal, racksAtRisk, useRehearsal, worstOf } from "../overview/rehearsal.ts";
import { linkTo } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { PageHead } from "../ui/page.tsx";
import { Card } from "../ui/parts.tsx";

/** Floors drawn on the first screen; the list has them all. */
const FLOORS = 4;

/** The first screen: what is failed, what one failure would take, and how much is left. */
export function Overview() {
  const inventory = useInventory();
  const sample = useRun();
  const isEmpty =
    inventory.reply !== undefined && inventory.reply.sites.length === 0 && inventory.reply.totals.devices === 0;
  // The first batch fills the inventory; the rest is still to come.
  if (isEmpty || isUnfinished(sample.run)) return <EmptyInventory sample={sample} />;
  if (inventory.reply === undefined) {
    return (
      <>
        <PageHead title="Overview" />
        <Answer asked={inventory}>{() => null}</Answer>
      </>
    );
  }
  return <Recorded inventory={inventory.reply} />;
}

/** Whether something of a run is still to be sent, or was refused. */
function isUnfinished(run: Run | undefined): boolean {
  return run !== undefined && (run.running || run.sent < run.total || run.failed.length > 0);
}

function Recorded({ inventory }: { readonly inventory: InventoryOverview }) {
  const asked = useRehearsal();
  const failures = useFailures();
  const floors = inventory.sites.flatMap(({ site_id, floors: all }) => all.map((floor) => ({ site: site_id, floor })));
  const risk = asked.reply === undefined ? undefined : racksAtRisk(asked.reply.causes);
  return (
    <>
      <PageHead title={titleOf(asked.reply, failures)} trail={[]} crumb="Overview" />
      <Gauges inventory={inventory} rehearsal={asked.reply} />
      <div class="columns overview">
        <div>
          <Answer asked={asked}>{(rehearsal) => <Causes rehearsal={rehearsal} />}</Answer>
          <LastChanges />
        </div>
        <div>
          <FailedNow failures={failures} />
          {floors.slice(0, FLOORS).map(({ site, floor }) => (
            <FloorCard key={floor.floor_ref} site={site} floor={floor} risk={risk} />
          ))}
          {floors.length > FLOORS ? (
            <p>
              <a href={linkTo("floors")}>All {floors.length} floors</a>
            </p>
          ) : null}
        </div>
      </div>
    </>
  );
}

/** The answer to the first question in one sentence. */
function titleOf(rehearsal: Rehearsal | undefined, failures: ReturnType<typeof useFailures>): string {
  if (rehearsal === undefined || failures === undefined) return "Overview";
  const failed = failures.reduce((sum, { list }) => sum + list.total_count, 0);
  const now = failed === 0 ? "" : `${counted(failed, "thing")} ${failed === 1 ? "is" : "are"} failed. `;
  const [cause] = rehearsal.causes;
  const { name, impact } = cause === undefined ? { name: "", impact: undefined } : worstOf(cause);
  const [racks, devices] = [impact?.racks_dark ?? 0, impact?.it_devices_offline ?? 0];
  if (racks > 0) return `${now}Losing ${name} would take ${counted(racks, "rack")}.`;
  if (devices > 0) return `${now}Losing ${name} would take ${counted(devices, "device")} offline.`;
  return `${now}No single failure takes a rack.`;
}

function EmptyInventory({ sample }: { readonly sample: Running }) {
  const { reply: session } = useSession();
  return (
    <>
      <PageHead title="Overview" />
      <Card title={sample.run === undefined ? "Nothing is recorded yet" : "The sample is being written"}>
        <p>Racks, devices, cooling units, cables and fabric links belong here. The ways to get them in:</p>
        <ul class="plain-list">
          <li>
            {mayWrite(session) ? (
              <a class="button primary" href={linkTo("import")}>
                Import a file
              </a>
            ) : (
              "Somebody with role writer may import a file."
            )}
          </li>
          {mayWrite(session) ? (
            <li>
              <LoadSample running={sample} />
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
