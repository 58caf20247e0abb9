#include "kernels/attention.h"

#include "compat/attention.h"
#include "kernels/attention_cpu.h"

namespace mgdm::kernels {

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal,
                     double dropout, double scale) {
  if (q.is_cpu() && q.scalar_type() == at::kFloat)
    return attention_cpu(q, k, v, causal, dropout, scale);
  return compat::attention(q, k, v, causal, dropout, scale);
}

}  // namespace mgdm::kernels
