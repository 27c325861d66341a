import { Module } from '@nestjs/common';
import { DeactivateEndUserController } from './deactivate-end-user/deactivate-end-user.controller.js';
import { EndUserDirectory } from './end-user-directory/end-user-directory.js';
import { ListEndUsersController } from './list-end-users/list-end-users.controller.js';
import { ListEndUsersHandler } from './list-end-users/list-end-users.query.js';
import { ReadEndUserController } from './read-end-user/read-end-user.controller.js';
import { ReadEndUserHandler } from './read-end-user/read-end-user.query.js';
import { RegisterEndUserController } from './register-end-user/register-end-user.controller.js';
import { RegisterEndUserHandler } from './register-end-user/register-end-user.command.js';
import { UpdateEndUserController } from './update-end-user/update-end-user.controller.js';
import { UpdateEndUserHandler } from './update-end-user/update-end-user.command.js';

/** End users of organizations. */
@Module({
  controllers: [
    RegisterEndUserController,
    ListEndUsersController,
    ReadEndUserController,
    UpdateEndUserController,
    DeactivateEndUserController,
  ],
  providers: [
    EndUserDirectory,
    RegisterEndUserHandler,
    ListEndUsersHandler,
    ReadEndUserHandler,
    UpdateEndUserHandler,
  ],
})
export class EndUsersModule {}
