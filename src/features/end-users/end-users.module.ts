import { Module } from '@nestjs/common';
import { EndUserDirectory } from './end-user-directory/end-user-directory.js';
import { RegisterEndUserHandler, UpdateEndUserHandler } from './end-users.commands.js';
import { EndUsersController } from './end-users.controller.js';

@Module({
  controllers: [EndUsersController],
  providers: [EndUserDirectory, RegisterEndUserHandler, UpdateEndUserHandler],
})
export class EndUsersModule {}
