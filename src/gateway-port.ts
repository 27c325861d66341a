import { once } from 'node:events';
import type { Server } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { gatewayServer } from './bootstrap.js';
import { addressOf } from './http/address-of.js';
import { messageOf } from './kernel/errors.js';
import { Authorization } from './keys/authorize/authorize.lookup.js';
import type { Settings } from './settings/settings.js';

/** The port for gateways that cannot send a management key (docs/api.md 12.4). It serves `/v1/authorize` alone. */
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

  /**
   * Listens on the port.
   * @returns the address, such as `http://127.0.0.1:3002`.
   * @throws Error that names the setting.
   */
  async listen(): Promise<string> {
    const { host, port } = this.gateway;
    try {
      this.server.listen(port, host);
      await once(this.server, 'listening');
    } catch (cause) {
      throw new Error(`GATEWAY_PORT: cannot be listened on: ${messageOf(cause)}`, { cause });
    }
    return addressOf(this.server, host);
  }
}
