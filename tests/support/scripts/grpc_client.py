"""Calls a datacenter server by Python's grpcio: grpc_client.py <host:port> <descriptor set> [<root certificate>]."""

import json
import sys

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

address, descriptors, *certificate = sys.argv[1:]
pool = descriptor_pool.DescriptorPool()
with open(descriptors, "rb") as file:
    for one in descriptor_pb2.FileDescriptorSet.FromString(file.read()).file:
        pool.Add(one)
factory = message_factory.MessageFactory(pool)
if certificate:
    with open(certificate[0], "rb") as file:
        credentials = grpc.ssl_channel_credentials(file.read())
    channel = grpc.secure_channel(address, credentials, [("grpc.ssl_target_name_override", "localhost")])
else:
    channel = grpc.insecure_channel(address)


def call(service, method, request, **options):
    found = pool.FindServiceByName(service).methods_by_name[method]
    send, receive = factory.GetPrototype(found.input_type), factory.GetPrototype(found.output_type)
    stub = channel.unary_unary(f"/{service}/{method}", send.SerializeToString, receive.FromString)
    try:
        reply = stub(json_format.ParseDict(request, send()), timeout=30, **options)
        return json_format.MessageToDict(reply, preserving_proto_field_name=True)
    except grpc.RpcError as error:
        trailers = dict(error.trailing_metadata())
        return {"code": error.code().name, "details": error.details(), "status": b"ErrorInfo" in trailers.get("grpc-status-details-bin", b"")}


DATACENTER = "datacenter.v1.DatacenterService"
rack = {"code": "R1", "location": {"site_id": "S1", "floor_number": 1}}
devices = [{"code": f"D{n}", "kind": "DEVICE_KIND_SERVER", "rack_code": "R1", "comments": "x" * 4000} for n in range(200)]
print(
    json.dumps(
        {
            "health": call("grpc.health.v1.Health", "Check", {"service": DATACENTER}),
            "rack": call(DATACENTER, "UpsertRack", {"rack": rack})["outcome"],
            "bulk": call(DATACENTER, "BulkUpsertDevices", {"items": devices})["succeeded"],
            "page": len(call(DATACENTER, "SearchDevices", {"page_size": 1000, "view": "DEVICE_VIEW_FULL"})["devices"]),
            "zipped": call(DATACENTER, "SearchDevices", {}, compression=grpc.Compression.Gzip)["total_count"],
            "missing": call(DATACENTER, "GetDevice", {"code": "D999"}),
            "wrong": call(DATACENTER, "UpsertDevice", {"device": {"code": "no/slash"}}),
        }
    )
)
