import { Body, Controller, Inject, Param, Patch, UseGuards, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Caller, CurrentCaller, RequestOrigin } from '../../http/caller.js';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import { Refusal } from '../../kernel/errors.js';
import type { Origin } from '../../kernel/metadata.js';
import { recordOf, type WorkspaceRecord } from '../domain/workspace.js';
import { UpdateWorkspace } from './update-workspace.command.js';
import { DescribeUpdateWorkspace } from './update-workspace.openapi.js';
import { UpdateWorkspaceRequest } from './update-workspace.request.js';

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class UpdateWorkspaceController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Patch(':workspace')
  @UseInterceptors(JsonBodyInterceptor)
  @DescribeUpdateWorkspace()
  async update(
    @Param('workspace') workspace: string,
    @Body(new ShapePipe(UpdateWorkspaceRequest)) body: UpdateWorkspaceRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: WorkspaceRecord }> {
    if (Object.keys(body).length === 0) throw new Refusal('no-update-fields');
    const command = new UpdateWorkspace(accountId, workspace, body, origin);
    return { data: recordOf(await this.commands.execute(command)) };
  }
}
