"""A plain loop in one process: dropout, momentum and a schedule, saved with the random numbers."""

import torch

import common
import deepvm
import deepvm.checkpoint

args = common.arguments()
model = common.network(args.dropout)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)
log, step = common.Log(args), 0
with deepvm.checkpoint.connect() as dc:
    saved = dc.restore()
    if saved is not None:
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        schedule.load_state_dict(saved["schedule"])
        torch.set_rng_state(saved["random"])
        step = saved.step

    def save_now(seconds=0.0):
        return dc.save(step, {"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                              "schedule": schedule.state_dict(), "random": torch.get_rng_state()})

    watch = deepvm.on_notice(save_now)
    while step < args.steps:
        with watch.changing():
            loss = common.loss_of(model, common.share(step, args.batch), args.batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            step += 1
        log.step(step, loss)
        if step % args.every == 0 if args.every else dc.should_save(step):
            save_now()
    watch.close()
    if args.every == 0 or step % args.every:
        save_now()
common.done(model)
