import type { Server } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { gatewayServer } from './bootstrap.js';
import { listenOn } from './http/listen-on.js';
import { Authorization } from './keys/authorize/authorize.lookup.js';
import type { Settings } from './settings/settings.js';

/** The TCP port for gateways that cannot send a management key (docs/api.md 12.4). It serves `/v1/authorize` alone. */
export class GatewayPort {
  readonly server: Server;

  constructor(
    app: NestExpressApplication,
    settings: Settings,
    private readonly gateway: NonNullable<Settings['gateway']>,
  ) {
    this.server = gatewayServer(app, settings);
    app.get(Authorization).bind(this.server, gateway.managementKey);
  }

  /** Listens on the port. @returns the address, for a caller on this machine. @throws Error that names the setting. */
  listen(): Promise<string> {
    return listenOn(this.server, this.gateway, 'GATEWAY_PORT');
  }
}
