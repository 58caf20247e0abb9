namespace mgdm {}
