import { Body, Controller, Inject, Param, Patch, UseGuards, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, RequestOrigin } from '../../../edge/http/callers/caller.js';
import { JsonBodyInterceptor } from '../../../edge/http/requests/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { one, Operation } from '../../../edge/http/openapi/operation.js';
import { ShapePipe } from '../../../edge/http/fields/shape.pipe.js';
import { Refusal } from '../../../kernel/errors.js';
import type { Origin } from '../../../kernel/metadata.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { WorkspaceShape, presentWorkspace, WORKSPACE_IN_PATH } from '../workspace-record.js';
import { UpdateWorkspace, UpdateWorkspaceRequest } from './update-workspace.command.js';

@ApiTags('Workspaces')
@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class UpdateWorkspaceController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Patch(':workspace')
  @UseInterceptors(JsonBodyInterceptor)
  @ApiParam(WORKSPACE_IN_PATH)
  @Operation('updateWorkspace', 'Change the given fields of a workspace', one(WorkspaceShape))
  async update(
    @Param('workspace') workspace: string,
    @Body(new ShapePipe(UpdateWorkspaceRequest)) body: UpdateWorkspaceRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: WorkspaceRecord }> {
    if (Object.keys(body).length === 0) throw new Refusal('no-update-fields');
    const command = new UpdateWorkspace(accountId, workspace, body, origin);
    return { data: presentWorkspace(await this.commands.execute(command)) };
  }
}
