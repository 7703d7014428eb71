import { SpecStore } from "#planner/store/specs/spec_store.ts";
import { specStoreContract } from "./spec_store.ts";
import { specStoreCreateContract } from "./spec_store_create.ts";

specStoreContract("on the disk", (root) => new SpecStore(root));
specStoreCreateContract("on the disk", (root) => new SpecStore(root));
