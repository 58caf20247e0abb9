"""Muon in PyTorch: matrices of one shape share their products, as in src/training/muon.h."""
import torch


def newton_schulz(x):
    """(G, R, C) -> the same with singular values of about 1; in bf16 on CUDA."""
    tall = x.size(1) > x.size(2)
    x = x / (torch.linalg.vector_norm(x, dim=(1, 2), keepdim=True) + 1e-7)
    y = x.bfloat16() if x.is_cuda else x
    y = y.transpose(1, 2) if tall else y
    for _ in range(5):
        a = torch.bmm(y, y.transpose(1, 2))
        b = torch.baddbmm(a, a, a, beta=-4.7750, alpha=2.0315)
        y = torch.baddbmm(y, b, y, beta=3.4445)
    return y.transpose(1, 2) if tall else y


def update(groups, lr, momentum):
    """groups: (values, gradients, momenta (G, R, C)) of one shape each. Changes values and momenta."""
    for values, gradients, momenta in groups:
        gradient = torch.stack(gradients)
        momenta.mul_(momentum).add_(gradient)
        turned = newton_schulz(gradient + momentum * momenta).to(gradient.dtype)
        scale = max(1.0, turned.size(1) / turned.size(2)) ** 0.5
        torch._foreach_sub_(values, list((turned * (lr * scale)).unbind()))


class Muon:
    def __init__(self, matrices, lr=0.02, momentum=0.95, compiled=lambda function: function):
        self.lr, self.momentum, self.update = lr, momentum, compiled(update)
        by_shape = {}
        for matrix in matrices:
            by_shape.setdefault(tuple(matrix.shape), []).append(matrix)
        self.groups = [(members, members[0].new_zeros(len(members), *shape))
                       for shape, members in by_shape.items()]

    @torch.no_grad()
    def step(self):
        self.update([([matrix.detach() for matrix in members],
                      [matrix.grad for matrix in members], momenta)
                     for members, momenta in self.groups], self.lr, self.momentum)
