import { Controller, Delete, Inject, Param, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, RequestOrigin } from '../../../edge/http/callers/caller.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { DELETED, Operation } from '../../../edge/http/openapi/operation.js';
import { notFound } from '../../../kernel/errors.js';
import type { Origin } from '../../../kernel/metadata.js';
import { isKeyHash } from '../../../kernel/key-string.js';
import { HASH_IN_PATH } from '../key.fields.js';
import { DeleteKey } from './delete-key.command.js';

@ApiTags('Keys')
@Controller('v1/keys')
@UseGuards(ManagementKeyGuard)
export class DeleteKeyController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Delete(':hash')
  @ApiParam(HASH_IN_PATH)
  @Operation('deleteKey', 'Delete an API key, for good', DELETED)
  async delete(
    @Param('hash') hash: string,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ deleted: true }> {
    if (!isKeyHash(hash)) throw notFound();
    await this.commands.execute(new DeleteKey(accountId, hash, origin));
    return { deleted: true };
  }
}
