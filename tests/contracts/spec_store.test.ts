import { openSpecStore } from "#planner/store/specs/spec_store.ts";
import { specStoreContract } from "./spec_store.ts";

specStoreContract("on the disk", openSpecStore);
