import { Controller, Delete, Inject, Param, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, RequestOrigin } from '../../http/caller.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DELETED, Operation } from '../../http/operation.js';
import { notFound } from '../../kernel/errors.js';
import type { Origin } from '../../kernel/metadata.js';
import { isKeyHash } from '../../key-strings/key-string.js';
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
