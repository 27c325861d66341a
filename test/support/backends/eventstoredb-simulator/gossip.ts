import gossip, { type ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import shared, { type Empty } from '@eventstore/db-client/generated/shared_pb.js';
import type { handleUnaryCall } from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import type { View } from './membership.js';

/**
 * Reports each member as alive. A client finds out about a dead member when it calls it, as in the
 * first seconds with real servers.
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
