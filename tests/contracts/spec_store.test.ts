import { openSpecStore } from "#planner/store/specs/spec_store.ts";
import { specStoreContract } from "./spec_store.ts";

specStoreContract("looking at every file", (root) => openSpecStore(root, { follow: false }));
specStoreContract("following the files", (root) => openSpecStore(root, { follow: true }));
