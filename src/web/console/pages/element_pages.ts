/** Pages of single elements; one module, loaded when the first of them is opened. */
export { DevicePage as Device } from "./device.tsx";
export { ListPage as List } from "./list.tsx";
export { ObjectPage } from "./object.tsx";
export { RackPage as Rack } from "./rack.tsx";
export { TechnicianSheet as Sheet } from "./sheet.tsx";
