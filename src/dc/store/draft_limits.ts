import type { Inventory, NetworkPortSummary } from "#dc/model/inventory.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { DevicePage, DeviceQuery, InventoryCounts } from "#dc/ports.ts";
import { SqlReader } from "./sql/sql_reader.ts";

/**
 * Methods that a draft does not support. Reads that no write requires return data of the snapshot until the first
 * change, and throw after it. Methods that follow a commit always throw, because calling them is a defect.
 */
export abstract class DraftLimits extends SqlReader {
  protected abstract get isChanged(): boolean;

  override async networkPorts(codes: readonly string[]): Promise<ReadonlyMap<string, NetworkPortSummary>> {
    this.#requireUnchanged("networkPorts");
    return super.networkPorts(codes);
  }

  override async searchDevices(query: DeviceQuery): Promise<DevicePage> {
    this.#requireUnchanged("searchDevices");
    return super.searchDevices(query);
  }

  override async devicesWithFreePorts(): Promise<ReadonlySet<string>> {
    this.#requireUnchanged("devicesWithFreePorts");
    return super.devicesWithFreePorts();
  }

  override async inventory(): Promise<Inventory> {
    this.#requireUnchanged("inventory");
    return super.inventory();
  }

  override async page<Kind extends ResourceKind>(
    kind: Kind,
    after: string,
    limit: number,
  ): Promise<readonly ResourceByKind[Kind][]> {
    this.#requireUnchanged("page");
    return super.page(kind, after, limit);
  }

  override async inventoryCounts(): Promise<InventoryCounts> {
    this.#requireUnchanged("inventoryCounts");
    return super.inventoryCounts();
  }

  append = () => rejectStoreCall();
  keepCheckpoint = () => rejectStoreCall();
  dropLog = () => rejectStoreCall();
  raiseRevision = () => rejectStoreCall();
  remember = () => rejectStoreCall();
  forget = () => rejectStoreCall();
  setSetting = () => rejectStoreCall();
  keepDelivery = () => rejectStoreCall();
  keepDeadLetter = () => rejectStoreCall();
  dropDeadLetter = () => rejectStoreCall();
  keepReadings = () => rejectStoreCall();
  dropReadings = () => rejectStoreCall();

  #requireUnchanged(read: string): void {
    if (this.isChanged) throw createUnsupportedReadError(read);
  }
}

/** Creates the error for a call of the method `read`, which a draft does not support after a change. */
export function createUnsupportedReadError(method: string): Error {
  return new Error(`A draft cannot answer ${method} once it has changed something`);
}

function rejectStoreCall(): never {
  throw new Error("A draft is never stored");
}
