import { Controller, Delete, Inject, Param, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Caller, CurrentCaller, RequestOrigin } from '../../http/caller.js';
import { deletedAnswer } from '../../http/described-answers.js';
import { undecodable } from '../../http/described-refusals.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { notFound } from '../../kernel/errors.js';
import type { Origin } from '../../kernel/metadata.js';
import { isKeyHash } from '../../key-strings/key-string.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';
import { HASH_IN_PATH } from '../key.openapi.js';
import { DeleteKey } from './delete-key.command.js';

@Controller('v1/keys')
@UseGuards(ManagementKeyGuard)
export class DeleteKeyController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Delete(':hash')
  @DescribeOperation({
    tag: 'Keys',
    id: 'deleteKey',
    summary: 'Delete an API key',
    description:
      'A deletion is permanent: no request finds the key again, and its key string is unknown.',
    path: HASH_IN_PATH,
    success: deletedAnswer('The key was deleted.'),
    refusals: [...WRITE_REFUSALS, undecodable('hash'), 'not-found'],
  })
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
