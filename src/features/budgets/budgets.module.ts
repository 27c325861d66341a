import { Module } from '@nestjs/common';
import { BudgetRecords } from './budget-records.js';
import { ChangeBudgetHandler } from './budgets.commands.js';
import { budgetControllers } from './budgets.controller.js';

@Module({
  controllers: budgetControllers,
  providers: [BudgetRecords, ChangeBudgetHandler],
})
export class BudgetsModule {}
