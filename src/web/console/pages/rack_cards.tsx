import type { GetRackResponse, InventoryRow, ListInventoryResponse } from "#gen/datacenter/v1/json.ts";
import { formatPercent, formatWatts } from "#words/figures.ts";
import { getRefName, stripRefKinds } from "#words/names.ts";
import { ShareText, StateMark } from "../../shared/state.tsx";
import { type CallState, useCall } from "../api/use_call.ts";
import { LIST_INVENTORY_RPC } from "../lists/inventory_rows.ts";
import { formatCauseUrl, getCauseState } from "../overview/rehearsal.ts";
import { useScopeFailures } from "../overview/worst_loss.tsx";
import { formatPageUrl } from "../router.ts";
import { Card, Meter, RefLink } from "../ui/parts.tsx";

/** Maximum number of rows that one call loads. */
const MAX_ROWS = 1000;

/** Loads the rows of a list that match the conditions, at most 1,000. */
export function useInventoryRows(
  kind: string,
  conditions: Readonly<Record<string, readonly string[]>>,
): readonly InventoryRow[] {
  return useInventoryRowsCall(kind, conditions).reply?.rows ?? [];
}

export function useInventoryRowsCall(kind: string, conditions: Readonly<Record<string, readonly string[]>>) {
  const columns = Object.entries(conditions).map(([column, values]) => ({ column, values }));
  const isAsked = columns.every(({ values }) => values.length > 0);
  const request = { kind: `INVENTORY_KIND_${kind}`, conditions: columns, page_size: MAX_ROWS };
  return useCall(LIST_INVENTORY_RPC, isAsked ? request : undefined) as CallState<ListInventoryResponse>;
}

const getFigure = ({ figures }: InventoryRow, name: string) => figures[name];

/** Card with the load of each supply, now and after the failure that is worst for it. */
export function SupplyCard({ supplies }: { readonly supplies: readonly InventoryRow[] }) {
  if (supplies.length === 0) return null;
  return (
    <Card title="Supply" action={<span class="muted">planned draw</span>}>
      {supplies.map((row) => (
        <div key={row.ref} class="supply">
          <Meter
            label={row.texts["side"] ? `Side ${row.texts["side"]}` : "Supply"}
            share={getFigure(row, "load_pct")}
            after={getFigure(row, "failover_pct")}
            text={`${formatWatts(getFigure(row, "load_w"))} of ${formatWatts(getFigure(row, "capacity_w"))}`}
          />
          <p>
            <RefLink to={row.ref} label={row.name} />
            {row.texts["failover_ref"] ? (
              <>
                , when <RefLink to={row.texts["failover_ref"]} /> is lost {formatWatts(getFigure(row, "failover_w"))},{" "}
                <ShareText pct={getFigure(row, "failover_pct")} />
              </>
            ) : null}
          </p>
        </div>
      ))}
    </Card>
  );
}

/** Effects of single failures inside a location, one line each. */
export function FailureEffectsCard({ scope }: { readonly scope: string }) {
  const causes = useScopeFailures(scope)?.causes;
  if (causes === undefined || causes.length === 0) return null;
  return (
    <Card title="What a failure inside takes" action={<a href={formatPageUrl("rehearsal", "", { scope })}>Rehearse</a>}>
      <ul class="lines">
        {causes.map((cause) => (
          <li key={`${cause.kind} ${cause.summary}`}>
            <StateMark state={getCauseState(cause)} label={`${getCauseState(cause)}:`} />
            <a href={formatCauseUrl(cause)}>{stripRefKinds(cause.summary)}</a>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Card with the load of the uplinks of a rack's switches. */
export function UplinksCard({ occupants }: Pick<GetRackResponse, "occupants">) {
  const switches = occupants.filter(({ kind }) => kind === "DEVICE_KIND_SWITCH").map((one) => one.device_code);
  const links = Map.groupBy(
    useInventoryRows("FABRIC_LINK", { a_device: switches }),
    ({ texts }) => texts["a_device"] ?? "",
  );
  if (links.size === 0) return null;
  return (
    <Card title="Uplinks">
      <ul class="lines">
        {[...links].map(([leaf, all]) => {
          const loads = all.flatMap(({ figures }) => figures["load_pct"] ?? []);
          const up = all.filter(({ texts }) => texts["traffic"] === "UP").length;
          return (
            <li key={leaf}>
              <a href={formatPageUrl("links", "", { a_device: leaf })}>{leaf}</a>
              <span>
                {up} of {all.length} up, mean {formatPercent(loads.reduce((sum, one) => sum + one / loads.length, 0))},
                busiest <ShareText pct={Math.max(0, ...loads)} />
              </span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

/** Returns the power paths of each device's inlets, by the device's code; "" for an unknown path. */
export function groupPowerPaths(
  inlets: readonly InventoryRow[],
  supplies: readonly InventoryRow[],
): ReadonlyMap<string, readonly string[]> {
  const sides = new Map(supplies.map(({ name, texts }) => [name, texts["side"] ?? ""]));
  const cords = Map.groupBy(inlets, ({ texts }) => texts["device"] ?? "");
  const getSide = ({ texts: { source = "" } }: InventoryRow) => sides.get(getRefName(source).split("/")[0] ?? "") ?? "";
  return new Map([...cords].map(([device, all]) => [device, all.map(getSide)]));
}
