import type { Inventory, NetworkPorts } from "#dc/model/inventory.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { DevicePage, DeviceQuery, InventoryCounts } from "#dc/ports.ts";
import { SqlReader } from "./sql/sql_reader.ts";

/**
 * What a draft cannot do. Reads that no write needs are answered from the snapshot as long as nothing was changed. What
 * follows a commit is a defect.
 */
export abstract class DraftLimits extends SqlReader {
  protected abstract get isChanged(): boolean;

  override async networkPorts(codes: readonly string[]): Promise<ReadonlyMap<string, NetworkPorts>> {
    this.#demandUnchanged("networkPorts");
    return super.networkPorts(codes);
  }

  override async searchDevices(query: DeviceQuery): Promise<DevicePage> {
    this.#demandUnchanged("searchDevices");
    return super.searchDevices(query);
  }

  override async devicesWithFreePorts(): Promise<ReadonlySet<string>> {
    this.#demandUnchanged("devicesWithFreePorts");
    return super.devicesWithFreePorts();
  }

  override async inventory(): Promise<Inventory> {
    this.#demandUnchanged("inventory");
    return super.inventory();
  }

  override async page<Kind extends ResourceKind>(
    kind: Kind,
    after: string,
    limit: number,
  ): Promise<readonly ResourceByKind[Kind][]> {
    this.#demandUnchanged("page");
    return super.page(kind, after, limit);
  }

  override async inventoryCounts(): Promise<InventoryCounts> {
    this.#demandUnchanged("inventoryCounts");
    return super.inventoryCounts();
  }

  append = () => neverStored();
  keepCheckpoint = () => neverStored();
  dropLog = () => neverStored();
  raiseRevision = () => neverStored();
  remember = () => neverStored();
  forget = () => neverStored();
  setSetting = () => neverStored();
  keepDelivery = () => neverStored();
  keepDeadLetter = () => neverStored();
  dropDeadLetter = () => neverStored();
  keepReadings = () => neverStored();
  dropReadings = () => neverStored();

  #demandUnchanged(read: string): void {
    if (this.isChanged) throw unansweredRead(read);
  }
}

/** The defect of a draft that asks `read` after a change. */
export function unansweredRead(read: string): Error {
  return new Error(`A draft cannot answer ${read} once it has changed something`);
}

function neverStored(): never {
  throw new Error("A draft is never stored");
}
