import gossip, { type ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared, { type Empty } from '@eventstore/db-client/generated/shared_pb.js';
import type { handleUnaryCall } from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import { type Faults, suffer } from './faults.js';
import type { View } from './membership.js';

/** The version of EventStoreDB that the simulator imitates. */
const VERSION = '24.10.4';
const STREAMS_SERVICE = 'event_store.client.streams.streams';
const METHODS: Readonly<Record<string, readonly string[]>> = {
  append: [],
  batchappend: ['deadline_duration'],
  delete: [],
  read: ['position', 'events'],
  tombstone: [],
};

export function supportedMethodsHandler(faults: Faults): handleUnaryCall<Empty, SupportedMethods> {
  return (call, callback) => {
    suffer(faults.meet('features', call.metadata), async () => supportedMethods()).then(
      (answer) => callback(null, answer),
      callback,
    );
  };
}

function supportedMethods(): SupportedMethods {
  const supported = new features.SupportedMethods().setEventStoreServerVersion(VERSION);
  for (const [name, its] of Object.entries(METHODS)) {
    const method = new features.SupportedMethod().setServiceName(STREAMS_SERVICE);
    supported.addMethods(method.setMethodName(name).setFeaturesList([...its]));
  }
  return supported;
}

/**
 * Reports each member as alive. A client finds out about a dead member when it calls it, as in the first seconds with
 * real servers.
 */
export function gossipHandler(host: string, view: () => View): handleUnaryCall<Empty, ClusterInfo> {
  return (_call, callback) => {
    const { members, leader } = view();
    const { LEADER, FOLLOWER } = gossip.MemberInfo.VNodeState;
    const told = members.map((port) =>
      new gossip.MemberInfo()
        .setInstanceId(new shared.UUID().setString(randomUUID()))
        .setTimeStamp(String(Date.now()))
        .setState(port === leader ? LEADER : FOLLOWER)
        .setIsAlive(true)
        .setHttpEndPoint(new gossip.EndPoint().setAddress(host).setPort(port)),
    );
    callback(null, new gossip.ClusterInfo().setMembersList(told));
  };
}
