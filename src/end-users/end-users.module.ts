import { Module } from '@nestjs/common';
import { EndUserDirectory } from './end-user-directory/end-user-directory.js';
import { ListEndUsersController } from './list-end-users/list-end-users.controller.js';
import { ListEndUsersHandler } from './list-end-users/list-end-users.handler.js';
import { RegisterEndUserController } from './register-end-user/register-end-user.controller.js';
import { RegisterEndUserHandler } from './register-end-user/register-end-user.handler.js';

/** End users of organizations. */
@Module({
  controllers: [RegisterEndUserController, ListEndUsersController],
  providers: [EndUserDirectory, RegisterEndUserHandler, ListEndUsersHandler],
})
export class EndUsersModule {}
