/** Values of every enumeration of the proto, in its order and without their prefix. */
export * from "#gen/datacenter/v1/enums.ts";
