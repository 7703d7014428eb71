import { useState } from "preact/hooks";
import type { RehearseFailuresResponse } from "#gen/datacenter/v1/json.ts";
import type { InventoryOverview } from "../api/replies.ts";
import { useInventory } from "../api/use_inventory.ts";
import { formatQuantity } from "../labels.ts";
import { createLazyComponent } from "../on_demand.tsx";
import { Causes } from "../overview/causes.tsx";
import { FailedNow, useFailures } from "../overview/failed_now.tsx";
import { FloorCard } from "../overview/floors.tsx";
import { Gauges } from "../overview/gauges.tsx";
import { NewChanges } from "../overview/new_changes.tsx";
import { OpenWindows } from "../overview/open_windows.tsx";
import { lossSentence, useRehearsal } from "../overview/rehearsal.ts";
import { Sites } from "../overview/sites.tsx";
import { ShownFindings } from "../readings/shown_findings.tsx";
import { formatPageUrl } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { PageHead } from "../ui/page.tsx";

/** Floors drawn on the first screen; the list has them all. */
const FLOORS = 4;

const EmptyInventory = createLazyComponent(
  async () => (await import("../overview/empty_inventory.tsx")).EmptyInventory,
);

/** The first screen: failed resources, effects of single failures, and free capacity. */
export function Overview() {
  const inventory = useInventory();
  const [isFilled, setFilled] = useState(true);
  const isEmpty =
    inventory.reply !== undefined && inventory.reply.sites.length === 0 && inventory.reply.totals.devices === 0;
  // The first batch fills the inventory; the rest is still to come.
  if (isEmpty || !isFilled) return <EmptyInventory setFilled={setFilled} />;
  if (inventory.reply === undefined) {
    return (
      <>
        <PageHead title="Overview" />
        <Answer asked={inventory} shape="tiles">
          {() => null}
        </Answer>
      </>
    );
  }
  return <Recorded inventory={inventory.reply} />;
}

function Recorded({ inventory }: { readonly inventory: InventoryOverview }) {
  const asked = useRehearsal();
  const failures = useFailures();
  const floors = inventory.sites.flatMap(({ site_id, floors: all }) => all.map((floor) => ({ site: site_id, floor })));
  return (
    <>
      <PageHead title={titleOf(asked.reply, failures)} trail={[]} crumb="Overview">
        {failures?.length === 0 ? <p>No device, feed, cooling unit or link is failed.</p> : null}
      </PageHead>
      <Gauges inventory={inventory} rehearsal={asked.reply} />
      <div class={inventory.sites.length > 1 ? "columns overview sites whole-tables" : "columns overview"}>
        <div>
          <Answer asked={asked} shape="rows">
            {(rehearsal) => <Causes rehearsal={rehearsal} />}
          </Answer>
          <NewChanges />
        </div>
        <div class={floors.length > 1 ? "small-plans" : undefined}>
          <FailedNow failures={failures} />
          {asked.reply === undefined ? null : <ShownFindings most={2} />}
          <OpenWindows />
          {inventory.sites.length > 1 ? <Sites inventory={inventory} /> : null}
          {floors.slice(0, inventory.sites.length > 1 ? 0 : FLOORS).map(({ site, floor }) => (
            <FloorCard key={floor.floor_ref} site={site} floor={floor} />
          ))}
          {floors.length > FLOORS && inventory.sites.length === 1 ? (
            <p>
              <a href={formatPageUrl("floors")}>All {floors.length} floors</a>
            </p>
          ) : null}
        </div>
      </div>
    </>
  );
}

/** The answer to the first question in one sentence. */
function titleOf(rehearsal: RehearseFailuresResponse | undefined, failures: ReturnType<typeof useFailures>): string {
  if (rehearsal === undefined || failures === undefined) return "Overview";
  const failed = failures.reduce((sum, { list }) => sum + list.total_count, 0);
  const now = failed === 0 ? "" : `${formatQuantity(failed, "thing")} ${failed === 1 ? "is" : "are"} failed. `;
  return `${now}${lossSentence(rehearsal.causes[0])}`;
}
