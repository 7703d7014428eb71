import { useState } from "preact/hooks";
import type { RehearseFailuresResponse } from "#gen/datacenter/v1/json.ts";
import type { InventoryOverview } from "../api/replies.ts";
import { useInventory } from "../api/use_inventory.ts";
import { formatQuantity } from "../labels.ts";
import { createLazyComponent } from "../on_demand.tsx";
import { CauseList } from "../overview/causes.tsx";
import { CurrentFailures, useCurrentFailures } from "../overview/failed_now.tsx";
import { FloorCard } from "../overview/floors.tsx";
import { OverviewGauges } from "../overview/gauges.tsx";
import { NewChangesCard } from "../overview/new_changes.tsx";
import { OpenWindowsCard } from "../overview/open_windows.tsx";
import { describeWorstFailure, useFailureRehearsal } from "../overview/rehearsal.ts";
import { SiteCards } from "../overview/sites.tsx";
import { WorstFindings } from "../readings/shown_findings.tsx";
import { formatPageUrl } from "../router.ts";
import { ReplyView } from "../ui/answer.tsx";
import { PageHead } from "../ui/page.tsx";

/** Maximum number of floors drawn on the first screen; the list of floors shows all of them. */
const MAX_FLOOR_PLANS = 4;

const EmptyInventory = createLazyComponent(
  async () => (await import("../overview/empty_inventory.tsx")).EmptyInventory,
);

/** The first screen: failed resources, effects of single failures, and free capacity. */
export function OverviewPage() {
  const inventory = useInventory();
  const [isFilled, setFilled] = useState(true);
  const isEmpty =
    inventory.reply !== undefined && inventory.reply.sites.length === 0 && inventory.reply.totals.devices === 0;
  // The first batch fills the inventory while later batches are still being written.
  if (isEmpty || !isFilled) return <EmptyInventory setFilled={setFilled} />;
  if (inventory.reply === undefined) {
    return (
      <>
        <PageHead title="Overview" />
        <ReplyView asked={inventory} shape="tiles">
          {() => null}
        </ReplyView>
      </>
    );
  }
  return <InventoryDashboard inventory={inventory.reply} />;
}

function InventoryDashboard({ inventory }: { readonly inventory: InventoryOverview }) {
  const asked = useFailureRehearsal();
  const failures = useCurrentFailures();
  const floors = inventory.sites.flatMap(({ site_id, floors: all }) => all.map((floor) => ({ site: site_id, floor })));
  return (
    <>
      <PageHead title={formatOverviewTitle(asked.reply, failures)} trail={[]} crumb="Overview">
        {failures?.length === 0 ? <p>No device, feed, cooling unit or link is failed.</p> : null}
      </PageHead>
      <OverviewGauges inventory={inventory} />
      <div class={inventory.sites.length > 1 ? "columns overview sites whole-tables" : "columns overview"}>
        <div>
          <ReplyView asked={asked} shape="rows">
            {(rehearsal) => <CauseList rehearsal={rehearsal} />}
          </ReplyView>
          <NewChangesCard />
        </div>
        <div class={floors.length > 1 ? "small-plans" : undefined}>
          <CurrentFailures failures={failures} />
          {asked.reply === undefined ? null : <WorstFindings most={2} />}
          <OpenWindowsCard />
          {inventory.sites.length > 1 ? <SiteCards inventory={inventory} /> : null}
          {floors.slice(0, inventory.sites.length > 1 ? 0 : MAX_FLOOR_PLANS).map(({ site, floor }) => (
            <FloorCard key={floor.floor_ref} site={site} floor={floor} />
          ))}
          {floors.length > MAX_FLOOR_PLANS && inventory.sites.length === 1 ? (
            <p>
              <a href={formatPageUrl("floors")}>All {floors.length} floors</a>
            </p>
          ) : null}
        </div>
      </div>
    </>
  );
}

/** Returns the page's title: a sentence about current failures and the worst single failure. */
function formatOverviewTitle(
  rehearsal: RehearseFailuresResponse | undefined,
  failures: ReturnType<typeof useCurrentFailures>,
): string {
  if (rehearsal === undefined || failures === undefined) return "Overview";
  const failed = failures.reduce((sum, { list }) => sum + list.total_count, 0);
  const now = failed === 0 ? "" : `${formatQuantity(failed, "thing")} ${failed === 1 ? "is" : "are"} failed. `;
  return `${now}${describeWorstFailure(rehearsal.worst)}`;
}
